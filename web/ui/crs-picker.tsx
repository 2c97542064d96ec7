/** Choosing a coordinate reference system by code, name or place. A combobox as the ARIA practices describe it. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { CrsHit, GeomillProblem } from '../../src/client/client.ts';
import { client, messageOf } from '../service.ts';

/** Between the last key and the request. */
const PAUSE_MS = 150;
const MAX_HITS = 12;

export interface CrsPickerProps {
  readonly label: string;
  /** Null: as stated. */
  readonly value: string | null;
  /** Name of the CRS that applies if none is chosen. */
  readonly stated: string | null;
  readonly isMissing: boolean;
  readonly suggestions: GeomillProblem['suggestions'];
  readonly onChoose: (crs: string | null) => void;
}

export function CrsPicker(props: CrsPickerProps): JSX.Element {
  const { value, stated, isMissing, suggestions, onChoose } = props;
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen || isMissing;
  return (
    <div class={isMissing ? 'crs missing' : 'crs'}>
      <p>
        {props.label}:{' '}
        <strong>{isMissing ? 'not stated in the file' : (value ?? stated ?? 'several')}</strong>{' '}
        {!isMissing && (
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Change…
          </button>
        )}
        {value !== null && (
          <button type="button" class="link" onClick={() => onChoose(null)}>
            As in the file
          </button>
        )}
      </p>
      {suggestions.length > 0 && (
        <ul class="suggestions" aria-label="Systems that fit the coordinates">
          {suggestions.map(({ crs, name }) => (
            <li key={crs}>
              <button type="button" onClick={() => onChoose(crs)}>
                {crs} <span class="soft">{name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {isShown && (
        <CrsSearch
          onChoose={(crs) => {
            setOpen(false);
            onChoose(crs);
          }}
        />
      )}
    </div>
  );
}

interface Found {
  readonly hits: readonly CrsHit[];
  readonly message: string | null;
}

function CrsSearch({ onChoose }: { readonly onChoose: (crs: string) => void }): JSX.Element {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Found>({ hits: [], message: null });
  const [active, setActive] = useState(0);
  const abort = useRef<AbortController>(null);
  const id = useId();

  useEffect(() => {
    abort.current?.abort();
    if (query.trim() === '') {
      setFound({ hits: [], message: null });
      return;
    }
    const controller = new AbortController();
    abort.current = controller;
    const timer = setTimeout(() => {
      void search(query, controller.signal).then((next) => {
        if (controller.signal.aborted) return;
        setFound(next);
        setActive(0);
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query]);

  const { hits, message } = found;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter' && hits[active] !== undefined) onChoose(hits[active].code);
    else if (event.key === 'Escape') setQuery('');
    else return;
    event.preventDefault();
  };
  return (
    <div class="combobox">
      <input
        type="text"
        role="combobox"
        aria-label="Search a coordinate reference system by code, name or place"
        aria-expanded={hits.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={hits.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Code, name or place: 25832, utm 32, british"
        value={query}
        maxLength={100}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label="Coordinate reference systems" hidden={hits.length === 0}>
        {hits.map((hit, i) => (
          <div
            key={hit.code}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            onPointerDown={(event) => {
              event.preventDefault();
              onChoose(hit.code);
            }}
          >
            <span>
              {hit.code} {hit.name}
            </span>
            <small>
              {hit.area?.name ?? 'area of use unknown'}, {hit.unit}
              {hit.deprecated && ', deprecated'}
            </small>
          </div>
        ))}
      </div>
      <p class="soft" role="status">
        {message ?? (hits.length > 0 ? `${hits.length} systems` : '')}
      </p>
    </div>
  );
}

async function search(query: string, signal: AbortSignal): Promise<Found> {
  try {
    const hits = await client.crs(query, { limit: MAX_HITS, signal });
    return { hits, message: hits.length === 0 ? 'No system has such a code, name or place.' : null };
  } catch (error) {
    return { hits: [], message: messageOf(error) };
  }
}
