/** The places of the findings of each run: on the map, in the list under its report, and which of them is marked. */
import type { Severity } from '@geomill/client/client.ts';
import { batch, effect, signal, untracked } from '@preact/signals';
import type { LonLatBox } from '../map/extent.ts';
import {
  type FindingGroup,
  type FoundPlace,
  groupFindings,
  type PlaceAddress,
  type PlaceSymbols,
  placesAt,
  placeWords,
  symbolsOf,
} from './found-places.ts';
import { hideOverlay, type Overlay, requestFit, showOverlay } from './overlays.ts';
import { type Run, runs } from './run.ts';

/** The most severe last: it is drawn above the others. */
const SEVERITIES: readonly Severity[] = ['info', 'changed', 'lost'];
const MARKED = 'finding marked';

export interface MarkedPlace extends PlaceAddress {
  /** Key of the run. */
  readonly run: number;
  /** Where it was chosen; the other view follows. */
  readonly from: 'map' | 'list';
}

export const markedPlace = signal<MarkedPlace | null>(null);

/** Keys of runs whose places are not on the map. */
export const hiddenPlaces = signal<ReadonlySet<number>>(new Set());

export function togglePlaces(run: number): void {
  const next = new Set(hiddenPlaces.peek());
  if (!next.delete(run)) next.add(run);
  hiddenPlaces.value = next;
}

interface DerivedPlaces {
  readonly groups: readonly FindingGroup[];
  readonly symbols: ReadonlyMap<Severity, PlaceSymbols>;
  /** Number of symbols. */
  readonly drawn: number;
}

const derived = new WeakMap<object, DerivedPlaces>();

/** Groups and symbols of a run that has ended; null: it has no report. */
export function placesOf({ job, places }: Run): DerivedPlaces | null {
  const report = job?.report;
  if (report == null) return null;
  const collection = places?.state === 'ready' ? places.value : null;
  const key = collection ?? report;
  const known = derived.get(key);
  if (known !== undefined) return known;
  const groups = groupFindings(report.warnings, collection);
  const symbols = new Map(SEVERITIES.map((severity) => [severity, symbolsOf(groups, severity)]));
  const drawn = [...symbols.values()].reduce((sum, { addresses }) => sum + addresses.length, 0);
  const made = { groups, symbols, drawn };
  derived.set(key, made);
  return made;
}

/** Marks a place, and moves the map to it if it was chosen in a list. */
export function markPlace(place: MarkedPlace): void {
  batch(() => {
    markedPlace.value = place;
    const box = boxOf(place);
    if (place.from === 'list' && box !== null) requestFit(box);
  });
}

function groupOf({ run: key, code }: MarkedPlace): FindingGroup | null {
  const run = runs.value.find((one) => one.key === key);
  if (run === undefined) return null;
  return placesOf(run)?.groups.find((group) => group.code === code) ?? null;
}

function boxOf(place: MarkedPlace): LonLatBox | null {
  return groupOf(place)?.places[place.index]?.box ?? null;
}

/** A click on a symbol; further clicks on the same one go through all the places that it stands for. */
function pick(run: number, address: PlaceAddress): void {
  const owner = runs.peek().find(({ key }) => key === run);
  const places = owner === undefined ? null : placesOf(owner);
  if (places === null) return;
  const same = placesAt(places.groups, address);
  const marked = markedPlace.peek();
  const at = same.findIndex(
    ({ code, index }) => marked?.run === run && marked.code === code && marked.index === index,
  );
  markPlace({ run, from: 'map', ...(same[(at + 1) % same.length] ?? address) });
}

/** Keeps the places of all runs on the map. Returns what ends that. */
export function followPlaces(): () => void {
  let shown: ReadonlyMap<string, Overlay> = new Map();
  let lastMarked: FoundPlace | null = null;
  return effect(() => {
    const wanted = new Map<string, Overlay>();
    // Newest first, so that the newest is drawn above the others.
    for (const run of runs.value.toReversed()) {
      if (hiddenPlaces.value.has(run.key)) continue;
      for (const [severity, { features, addresses }] of placesOf(run)?.symbols ?? []) {
        if (addresses.length === 0) continue;
        const id = `findings ${run.key} ${severity}`;
        const earlier = shown.get(id);
        const onPick = (index: number) => pick(run.key, addresses[index]);
        wanted.set(
          id,
          earlier?.features === (features as never)
            ? earlier
            : { id, role: severity, features: features as never, onPick },
        );
      }
    }
    const place = markedFound(wanted);
    if (place !== null) {
      const earlier = place === lastMarked ? shown.get(MARKED) : undefined;
      wanted.set(MARKED, earlier ?? markOf(place));
    }
    lastMarked = place;
    untracked(() =>
      batch(() => {
        for (const id of shown.keys()) if (!wanted.has(id)) hideOverlay(id);
        for (const overlay of wanted.values()) if (shown.get(overlay.id) !== overlay) showOverlay(overlay);
      }),
    );
    shown = wanted;
  });
}

/** The marked place, if it is on the map. */
function markedFound(shown: ReadonlyMap<string, Overlay>): FoundPlace | null {
  const { value: marked } = markedPlace;
  const group = marked === null ? null : groupOf(marked);
  if (marked === null || group === null || !shown.has(`findings ${marked.run} ${group.severity}`))
    return null;
  const place = group.places[marked.index];
  return place === undefined || place.box === null ? null : place;
}

/** The box of a place, with a label that names it. */
function markOf({ box, properties }: FoundPlace): Overlay {
  const [west, south, east, north] = box ?? [0, 0, 0, 0];
  const label = placeWords(properties)[0] ?? properties.severity;
  const point = {
    type: 'Feature',
    properties: { label },
    geometry: { type: 'Point', coordinates: [(west + east) / 2, (south + north) / 2] },
  };
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const outline = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [corners] } };
  const features = west === east && south === north ? [point] : [outline, point];
  return {
    id: MARKED,
    role: properties.severity,
    features: { type: 'FeatureCollection', features } as never,
    emphasised: 0,
  };
}
