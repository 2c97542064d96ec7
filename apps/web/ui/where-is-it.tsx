/** Finds the CRS of a source by the place where each system would put its coordinates. */
import type { CrsQuestion, SuggestedCrs } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { hideCandidates, locating, showCandidates, suggest, viewBounds } from '../model/crs-candidates.ts';
import {
  areaText,
  type Bounds,
  candidatesBox,
  extentFeatures,
  middleOf,
  middleText,
  positionText,
  type UnknownPlace,
  unitOf,
} from '../model/crs-places.ts';
import { requestFit } from '../model/overlays.ts';
import type { NamedCrs } from '../model/recent-crs.ts';
import { type Loading, messageOf } from '../service.ts';
import { Busy, Problem } from './controls.tsx';

const FEW = 6;
const MANY = 30;
/** The map moves to the extents of so many. */
const FITTED = 3;

export interface WhereIsItProps {
  /** Name of the source. */
  readonly path: string;
  readonly place: UnknownPlace;
  /** Systems of the other sources. */
  readonly others: readonly (NamedCrs & { readonly source: string })[];
  readonly onChoose: (crs: NamedCrs) => void;
}

const NONE: readonly SuggestedCrs[] = [];

interface Found {
  readonly crs: readonly SuggestedCrs[];
  readonly mayBeLocal: boolean;
  /** There may be more. */
  readonly isCut: boolean;
}

export function WhereIsIt({ path, place, others, onChoose }: WhereIsItProps): JSX.Element {
  const stated = place.metresPerUnit === null ? null : unitOf(place.metresPerUnit);
  const [box, setBox] = useState<Bounds | null>(null);
  const [hasUnit, setHasUnit] = useState(stated?.unit != null);
  const [limit, setLimit] = useState(FEW);
  const question: CrsQuestion = {
    extent: place.extent,
    limit,
    ...(box === null ? {} : { bbox: box }),
    ...(hasUnit && stated?.unit != null ? { unit: stated.unit } : {}),
  };
  const found = useCandidates(question);
  const candidates = found.state === 'ready' ? found.value.crs : NONE;
  // A plan in millimetres, or with small coordinates: systems are a guess that the user has to ask for.
  const isLocal =
    box === null &&
    ((stated !== null && stated.unit === null) || (found.state === 'ready' && found.value.mayBeLocal));
  const [isOpen, setOpen] = useState(false);
  const isGuess = isLocal && !isOpen;
  const list = useRef<HTMLOListElement>(null);
  const active = useOnMap(path, candidates, !isGuess, box === null, (index) =>
    list.current?.querySelectorAll<HTMLElement>('button')[index]?.focus(),
  );
  const view = viewBounds();
  const id = useId();
  return (
    <div class="where" role="group" aria-labelledby={id} onFocusCapture={() => (locating.value = path)}>
      <h3 id={id}>Where is it?</h3>
      <p class="soft">
        Coordinates: x {rangeText(place.extent[0], place.extent[2])}, y{' '}
        {rangeText(place.extent[1], place.extent[3])}
        {stated !== null && `, in ${stated.text} as the drawing states ($INSUNITS)`}. Choose where they belong
        {box !== null && `, in or near the view around ${positionText(...middleOf(box))}`}.
      </p>
      {found.state === 'loading' && <Busy label="Looking for systems…" />}
      {found.state === 'failed' && <Problem message={found.message} />}
      {stated !== null && stated.unit === null && (
        <p class="soft">No national system is in {stated.text}; a drawing in them is often a local plan.</p>
      )}
      {isLocal && (
        <>
          <button
            type="button"
            class="candidate active"
            onClick={() => onChoose({ code: 'local', name: 'local' })}
          >
            <span class="candidate-name">Local: no position on the Earth</span>{' '}
            <small class="candidate-place">
              {stated !== null && stated.unit === null
                ? `As most drawings in ${stated.text}`
                : 'As most plans with so small coordinates'}
            </small>
          </button>
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the systems that fit the coordinates' : 'Systems that fit the coordinates…'}
          </button>
        </>
      )}
      <ol ref={list} class="candidates" aria-label="Systems that fit the coordinates" hidden={isGuess}>
        {candidates.map((crs, i) => (
          <li key={crs.code}>
            <button
              type="button"
              class={i === active.index ? 'candidate active' : 'candidate'}
              onFocus={() => active.set(i)}
              onPointerEnter={() => active.set(i)}
              onClick={() => onChoose(crs)}
            >
              <span class="rank" aria-hidden="true">
                {i + 1}
              </span>{' '}
              <span class="candidate-name">
                {crs.name} <small>{crs.code}</small>
              </span>{' '}
              <small class="candidate-place">{placeText(crs)}</small>
            </button>
          </li>
        ))}
      </ol>
      {found.state === 'ready' && candidates.length === 0 && (
        <p class="soft">
          {box === null
            ? 'No system of EPSG has these coordinates in its area of use.'
            : 'No system puts the coordinates within 1000 km of there.'}
        </p>
      )}
      <div class="chips">
        <button type="button" disabled={view === null} onClick={() => setBox(view)}>
          It belongs in the map view
        </button>
        {box !== null && (
          <button type="button" onClick={() => setBox(null)}>
            Anywhere
          </button>
        )}
        {found.state === 'ready' && found.value.isCut && limit === FEW && (
          <button type="button" onClick={() => setLimit(MANY)}>
            More systems
          </button>
        )}
        {!isLocal && (
          <button type="button" onClick={() => onChoose({ code: 'local', name: 'local' })}>
            Local: no position on the Earth
          </button>
        )}
        {others.map((crs) => (
          <button type="button" key={crs.source} onClick={() => onChoose(crs)}>
            Same as <bdi>{crs.source}</bdi>
          </button>
        ))}
      </div>
      {found.state === 'ready' && found.value.mayBeLocal && (
        <p class="soft">The coordinates are so small that they can be those of a local plan.</p>
      )}
      {stated?.unit != null && (
        <label class="check">
          <input
            type="checkbox"
            checked={hasUnit}
            onChange={({ currentTarget: { checked } }) => setHasUnit(checked)}
          />
          Only systems in {stated.text}, the unit of the drawing
        </label>
      )}
      <p class="soft">Only the producer of the data knows for sure.</p>
    </div>
  );
}

/** Asks again whenever the question changes; what came before stays until the answer is there. */
function useCandidates(question: CrsQuestion): Loading<Found> {
  const [found, setFound] = useState<Loading<Found>>({ state: 'loading' });
  const key = JSON.stringify(question);
  useEffect(() => {
    const abort = new AbortController();
    suggest(question, abort.signal).then(
      ({ crs, may_be_local: mayBeLocal }) => {
        if (abort.signal.aborted) return;
        setFound({ state: 'ready', value: { crs, mayBeLocal, isCut: crs.length === question.limit } });
      },
      (error) => {
        if (!abort.signal.aborted) setFound({ state: 'failed', message: messageOf(error) });
      },
    );
    return () => abort.abort();
  }, [key]);
  return found;
}

/** Draws the candidates while this source is the one that is located. A click on an extent calls `onPick`. */
function useOnMap(
  path: string,
  candidates: readonly SuggestedCrs[],
  /** Not while they are a guess: the map would leave the plan. */
  areDrawn: boolean,
  /** Not where the user has moved it to where the data belongs. */
  movesMap: boolean,
  onPick: (index: number) => void,
): { readonly index: number; readonly set: (index: number) => void } {
  const [index, set] = useState(0);
  const isShown = locating.value === path && areDrawn;
  const features = useMemo(() => extentFeatures(candidates), [candidates]);
  useEffect(() => {
    locating.value ??= path;
    return () => {
      if (locating.peek() === path) locating.value = null;
    };
  }, [path]);
  useEffect(() => {
    set(0);
    const box = isShown && movesMap ? candidatesBox(candidates.slice(0, FITTED)) : null;
    if (box !== null) requestFit(box);
  }, [candidates, isShown]);
  useEffect(() => {
    if (isShown) showCandidates(features, index, onPick);
  }, [features, index, isShown]);
  useEffect(() => (isShown ? hideCandidates : undefined), [isShown]);
  return { index, set };
}

/** "51.5° N, 0.1° W, United Kingdom (UK)". */
function placeText(crs: SuggestedCrs): string {
  const area = areaText(crs);
  return [
    middleText(crs.extent),
    ...(area === null ? [] : [area]),
    ...(crs.swapped ? ['only with x and y exchanged'] : []),
    ...(crs.deprecated ? ['deprecated'] : []),
  ].join(', ');
}

/** "530,000 to 531,200". */
function rangeText(low: number, high: number): string {
  const text = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 7 });
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}
