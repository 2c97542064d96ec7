/** The palette: all commands in a list that is searched by typing. A combobox as the ARIA practices describe it. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { searchCommands } from '../model/command-search.ts';
import { messageOf } from '../service.ts';
import { Keys } from './command-button.tsx';
import { type Command, commandOf, commands, crsCommands, GROUPS } from './commands.ts';
import { closeDialog } from './modal.tsx';

/** Key of localStorage. */
const KEPT = 'geomill-recent-commands';
const MAX_RECENT = 5;
/** Between the last key and the request for systems. */
const PAUSE_MS = 200;
/** A shorter query finds too many systems. */
const MIN_CRS_QUERY = 3;
const PAGE = 8;

interface Entry {
  readonly title: string;
  readonly commands: readonly Command[];
}

export function Palette(): JSX.Element {
  const id = useId();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const { systems, message, isSearching } = useSystems(query);
  const list = useRef<HTMLDivElement>(null);
  const entries = entriesOf(query, systems);
  const shown = entries.flatMap((entry) => entry.commands);
  const at = Math.min(active, shown.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at, query]);
  const choose = (command: Command) => {
    keepRecent(command.id);
    closeDialog();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = shown.length - 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(last, at + PAGE),
      PageUp: Math.max(0, at - PAGE),
    };
    if (event.key in moves) setActive(Math.max(0, moves[event.key]));
    else if (event.key === 'Enter' && shown[at] !== undefined) choose(shown[at]);
    else return;
    event.preventDefault();
  };
  let index = -1;
  return (
    <>
      <div class="palette-search">
        <input
          type="text"
          role="combobox"
          aria-label="Find a command"
          aria-expanded={shown.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          placeholder="Add a step, a format, a CRS such as 25832…"
          maxLength={100}
          spellcheck={false}
          autocomplete="off"
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="quiet" onClick={closeDialog}>
          Close
        </button>
      </div>
      <div ref={list} id={id} role="listbox" aria-label="Commands" hidden={shown.length === 0}>
        {entries.map((entry) => (
          <div key={entry.title} role="group" aria-label={entry.title}>
            <div class="palette-group" aria-hidden="true">
              {entry.title}
            </div>
            {entry.commands.map((command) => {
              const i = ++index;
              return (
                <div
                  key={command.id}
                  id={`${id}-${i}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={i === at}
                  onPointerMove={() => setActive(i)}
                  onClick={() => choose(command)}
                  onKeyDown={onKeyDown}
                >
                  <span dir="auto">{command.title}</span>
                  <Keys id={command.id} />
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p class="palette-note" role="status">
        {shown.length > 0
          ? `${shown.length} ${shown.length === 1 ? 'command' : 'commands'}`
          : isSearching
            ? ''
            : 'Nothing found.'}
        {isSearching && ' Searching coordinate reference systems…'}
        {message !== null && ` Systems could not be searched: ${message}`}
      </p>
    </>
  );
}

/** Without a query recent commands, then all by group; with one a single list in the order of the search. */
function entriesOf(query: string, systems: readonly Command[]): Entry[] {
  const usable = commands.value.filter(({ id, isEnabled }) => isEnabled && id !== 'palette');
  const recent = readRecent();
  if (query.trim() !== '') {
    const found = searchCommands(usable, query, recent);
    return [
      ...(found.length === 0 ? [] : [{ title: 'Commands', commands: found }]),
      ...(systems.length === 0 ? [] : [{ title: 'Coordinate reference systems', commands: systems }]),
    ];
  }
  const last = recent.flatMap((id) => usable.find((command) => command.id === id) ?? []);
  const groups = GROUPS.map((title) => ({
    title,
    commands: usable.filter((command) => command.group === title && !last.includes(command)),
  }));
  return [{ title: 'Recent', commands: last }, ...groups].filter((entry) => entry.commands.length > 0);
}

interface FoundSystems {
  /** Commands for the systems that the service finds. */
  readonly systems: readonly Command[];
  /** Why it could not be asked. */
  readonly message: string | null;
  readonly isSearching: boolean;
}

const NO_SYSTEMS: FoundSystems = { systems: [], message: null, isSearching: false };

function useSystems(query: string): FoundSystems {
  const [found, setFound] = useState({ ...NO_SYSTEMS, query: '' });
  useEffect(() => {
    if (query.trim().length < MIN_CRS_QUERY) return setFound({ ...NO_SYSTEMS, query });
    const abort = new AbortController();
    const timer = setTimeout(() => {
      crsCommands(query, abort.signal).then(
        (systems) => setFound({ ...NO_SYSTEMS, systems, query }),
        (error) => {
          if (!abort.signal.aborted) setFound({ ...NO_SYSTEMS, message: messageOf(error), query });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  // Until the effect has run, what was found is of the query before.
  if (found.query === query) return found;
  return { ...NO_SYSTEMS, isSearching: query.trim().length >= MIN_CRS_QUERY };
}

/** Ids, the last used first. */
function readRecent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, MAX_RECENT) : [];
  } catch {
    // Storage is switched off, or of another version.
    return [];
  }
}

/** Only commands of the table: others are of a file or a search. */
function keepRecent(id: string): void {
  if (commandOf(id) === null) return;
  const ids = [id, ...readRecent().filter((one) => one !== id)].slice(0, MAX_RECENT);
  try {
    localStorage.setItem(KEPT, JSON.stringify(ids));
  } catch {
    // Storage is full or switched off: there are no recent commands.
  }
}
