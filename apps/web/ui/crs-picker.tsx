/** The coordinate reference system of an input or of the output, and how to choose another one. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type NamedCrs, recentCrs, rememberCrs } from '../model/recent-crs.ts';
import { lazy } from './lazy.tsx';

const CrsSearch = lazy(() => import('./crs-search.tsx').then((module) => module.CrsSearch));

export interface CrsPickerProps {
  readonly label: string;
  /** Null: as stated. */
  readonly value: string | null;
  /** Name of the CRS that applies if none is chosen. */
  readonly stated: string | null;
  /** How it is known: "from the file". */
  readonly origin?: string;
  readonly isMissing: boolean;
  readonly onChoose: (crs: string | null) => void;
  /** Text of the button that takes a choice back. */
  readonly resetText?: string;
  /** What else helps to choose, shown above the search. Chooses with the function that it gets. */
  readonly help?: (choose: (crs: NamedCrs) => void) => ComponentChildren;
}

export function CrsPicker(props: CrsPickerProps): JSX.Element {
  const { value, stated, isMissing, onChoose } = props;
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen || isMissing;
  const choose = (crs: NamedCrs) => {
    if (crs.code !== 'local') rememberCrs(crs);
    setOpen(false);
    onChoose(crs.code);
  };
  return (
    <div class={isMissing ? 'crs missing' : 'crs'}>
      <p>
        {props.label}:{' '}
        <strong>{isMissing ? 'not stated in the file' : (nameOf(value) ?? stated ?? 'several')}</strong>
        {props.origin !== undefined && !isMissing && <span class="soft">, {props.origin}</span>}{' '}
        {!isMissing && (
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Change…
          </button>
        )}{' '}
        {value !== null && (
          <button type="button" class="link" onClick={() => onChoose(null)}>
            {props.resetText ?? 'As in the file'}
          </button>
        )}
      </p>
      {isShown && (
        <>
          {props.help?.(choose)}
          <CrsSearch onChoose={choose} />
          <RecentCrs onChoose={choose} />
        </>
      )}
    </div>
  );
}

/** "EPSG:27700 OSGB36 / British National Grid", if it was chosen in this browser; null: none is chosen. */
function nameOf(value: string | null): string | null {
  if (value === 'local') return 'local, no position on the Earth';
  const recent = recentCrs.value.find(({ code }) => code === value);
  return recent === undefined ? value : `${recent.code} ${recent.name}`;
}

function RecentCrs({ onChoose }: { readonly onChoose: (crs: NamedCrs) => void }): JSX.Element | null {
  if (recentCrs.value.length === 0) return null;
  return (
    <div class="chips" role="group" aria-label="Chosen before">
      <span class="soft" aria-hidden="true">
        Chosen before
      </span>
      {recentCrs.value.map((crs) => (
        <button type="button" key={crs.code} title={crs.name} onClick={() => onChoose(crs)}>
          {crs.name} <small>{crs.code}</small>
        </button>
      ))}
    </div>
  );
}
