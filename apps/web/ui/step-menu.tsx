/** Adds a step: a combobox that lists the steps by group, or those that a search finds. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { stepGroups } from '../model/command-search.ts';
import { addNewStep } from './commands.ts';

export function StepMenu(props: {
  readonly known: readonly TransformationRecord[];
  readonly groups: readonly string[];
}): JSX.Element {
  const id = useId();
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const groups = isOpen ? stepGroups(props.known, props.groups, query) : [];
  const shown = groups.flatMap(({ steps }) => steps);
  const at = Math.min(active, shown.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at, query, isOpen]);
  const close = () => {
    setOpen(false);
    setQuery('');
    setActive(0);
  };
  const choose = (record: TransformationRecord) => {
    close();
    addNewStep(record);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = shown.length - 1;
    const isMove = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (isMove && !isOpen) setOpen(true);
    else if (event.key === 'ArrowDown') setActive(at === last ? 0 : at + 1);
    else if (event.key === 'ArrowUp') setActive(at <= 0 ? Math.max(0, last) : at - 1);
    else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Enter' && isOpen && shown[at] !== undefined && !event.ctrlKey && !event.metaKey)
      choose(shown[at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  let index = -1;
  return (
    <div
      class="step-menu"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) close();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Add a step"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${id}-${at}` : undefined}
        placeholder="Add a step…"
        maxLength={100}
        spellcheck={false}
        autocomplete="off"
        value={query}
        onClick={() => setOpen(true)}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setOpen(true);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} role="listbox" aria-label="Steps" hidden={shown.length === 0}>
        {groups.map(({ title, steps }) => (
          <div key={title ?? ''} role="group" aria-label={title ?? 'Found steps'}>
            {title !== null && (
              <div class="step-menu-group" aria-hidden="true">
                {title}
              </div>
            )}
            {steps.map((record) => {
              const i = ++index;
              return (
                <div
                  key={record.id}
                  id={`${id}-${i}`}
                  role="option"
                  tabIndex={-1}
                  data-step={record.id}
                  aria-selected={i === at}
                  onPointerMove={() => setActive(i)}
                  onClick={() => choose(record)}
                  onKeyDown={onKeyDown}
                >
                  {record.title} <small>{record.summary}</small>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {isOpen && shown.length === 0 && (
        <p class="soft" role="status">
          Nothing found.
        </p>
      )}
    </div>
  );
}
