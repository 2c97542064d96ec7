/** The CRS of a source: which one, how it is known, and how to find it if it is missing or wrong. */
import type { Inspection } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { unknownPlace } from '../model/crs-places.ts';
import type { InputChoice } from '../model/document.ts';
import type { NamedCrs } from '../model/recent-crs.ts';
import { chooseCrs, type Source, sources } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { CrsPicker } from './crs-picker.tsx';
import { lazy } from './lazy.tsx';

const WhereIsIt = lazy(() => import('./where-is-it.tsx').then((module) => module.WhereIsIt));

export function SourceCrs(props: {
  readonly input: InputChoice;
  readonly source: Source;
}): JSX.Element | null {
  const { input, source } = props;
  const { inspection, suggestions } = source;
  if (inspection.state === 'loading') return null;
  const found = inspection.state === 'ready' ? inspection.value : null;
  if (found === null && suggestions.length === 0 && input.crs === null) return null;
  // The page writes what the service assumed into the document.
  const isAssumed = isAssumedCrs(input, found);
  const isPlaced = found?.layers.every(({ crs }) => crs !== null) ?? false;
  const place = found === null ? null : unknownPlace(found);
  return (
    <CrsPicker
      label="CRS"
      value={isAssumed ? null : input.crs}
      stated={statedCrs(found)}
      origin={input.crs === null || isAssumed ? originText(found) : 'stated here'}
      isMissing={!isPlaced && input.crs === null}
      onChoose={(crs) => chooseCrs(input.path, crs)}
      help={(choose) =>
        place !== null ? (
          <WhereIsIt path={input.path} place={place} others={othersThan(input.path)} onChoose={choose} />
        ) : (
          suggestions.length > 0 && (
            <div class="chips" role="group" aria-label="Systems with such a name">
              {suggestions.map(({ crs, name }) => (
                <button type="button" key={crs} onClick={() => choose({ code: crs, name })}>
                  {name} <small>{crs}</small>
                </button>
              ))}
            </div>
          )
        )
      }
    />
  );
}

function isAssumedCrs({ crs }: InputChoice, found: Inspection | null): boolean {
  const [first] = found?.layers ?? [];
  const authority = first?.crs?.origin === 'assumed' ? first.crs.authority : null;
  return authority !== null && crs === `${authority.name}:${authority.code}`;
}

/** How the CRS is known, if it is in the same way for all layers. */
function originText(inspection: Inspection | null): string | undefined {
  const origins = new Set(inspection?.layers.map(({ crs }) => crs?.origin));
  if (origins.size !== 1) return undefined;
  return origins.has('assumed') ? 'as the coordinates show' : 'as the file states';
}

/** The CRS of the file, if all layers have the same; null: unknown, or several. */
function statedCrs(inspection: Inspection | null): string | null {
  const names = new Set(inspection?.layers.map(({ crs }) => crs?.name ?? null));
  const [name] = names;
  return names.size === 1 && name !== undefined ? name : null;
}

/** The systems of the other sources, as far as they have one with a code. */
function othersThan(path: string): (NamedCrs & { readonly source: string })[] {
  return workspace.current.value.inputs.flatMap((input) => {
    const inspection = sources.value.get(input.path)?.inspection;
    if (input.path === path || inspection?.state !== 'ready') return [];
    const crs = inspection.value.layers.find((layer) => layer.crs !== null)?.crs;
    if (crs?.authority?.name !== 'EPSG') return [];
    return [{ source: input.path, code: `EPSG:${crs.authority.code}`, name: crs.name }];
  });
}
