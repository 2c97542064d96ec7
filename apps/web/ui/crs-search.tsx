/** Searches a coordinate reference system by code, name or place. A combobox as the ARIA practices describe it. */
import type { CrsHit } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { engine } from '../engines/current.ts';
import { viewBounds } from '../model/crs-candidates.ts';
import type { NamedCrs } from '../model/recent-crs.ts';
import { messageOf } from '../service.ts';

/** Between the last key and the request. */
const PAUSE_MS = 150;
const MAX_HITS = 12;

interface Found {
  readonly hits: readonly CrsHit[];
  readonly message: string | null;
}

const NOTHING: Found = { hits: [], message: null };

export function CrsSearch({ onChoose }: { readonly onChoose: (crs: NamedCrs) => void }): JSX.Element {
  const [query, setQuery] = useState('');
  const [isLocal, setLocal] = useState(false);
  const [found, setFound] = useState<Found>(NOTHING);
  const [active, setActive] = useState(0);
  const abort = useRef<AbortController>(null);
  const id = useId();
  const view = viewBounds();
  const bbox = isLocal ? view : null;

  useEffect(() => {
    abort.current?.abort();
    if (query.trim() === '') {
      setFound(NOTHING);
      return;
    }
    const controller = new AbortController();
    abort.current = controller;
    const timer = setTimeout(() => {
      void search(query, bbox, controller.signal).then((next) => {
        if (controller.signal.aborted) return;
        setFound(next);
        setActive(0);
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, bbox?.join()]);

  const { hits, message } = found;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter' && hits[active] !== undefined) onChoose(hits[active]);
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
              onChoose(hit);
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
      {view !== null && (
        <label class="check">
          <input
            type="checkbox"
            checked={isLocal}
            onChange={({ currentTarget: { checked } }) => setLocal(checked)}
          />
          Only systems for the area on the map
        </label>
      )}
      <p class="soft" role="status">
        {message ?? (hits.length > 0 ? `${hits.length} ${hits.length === 1 ? 'system' : 'systems'}` : '')}
      </p>
    </div>
  );
}

async function search(
  query: string,
  bbox: ReturnType<typeof viewBounds>,
  signal: AbortSignal,
): Promise<Found> {
  try {
    const hits = await engine
      .peek()
      .findCrs(query, { limit: MAX_HITS, signal, ...(bbox === null ? {} : { bbox }) });
    const none = `No system ${bbox === null ? '' : 'for this area '}has such a code, name or place.`;
    return { hits, message: hits.length === 0 ? none : null };
  } catch (error) {
    return { hits: [], message: messageOf(error) };
  }
}
