/** `geomill crs QUERY`: searches coordinate reference systems, also by a point or by the coordinates of a file. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type CrsHit, CrsSearch, type SuggestedCrs } from '@geomill/crs-search/crs-search.ts';
import { type CrsFilter, parseBox, parsePoint, unitPattern } from '@geomill/crs-search/filter.ts';
import { statOf } from '@geomill/library/output-path.ts';
import { type Flags, formatFlags, parseCommand } from './arguments.ts';
import type { CommandContext } from './conversion.ts';
import { inspectedFile } from './info.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill crs [QUERY] [options]

  QUERY                 an EPSG code, or words of the name, the alias or the area: utm 32, swiss, EPSG:2583
  --near LON,LAT        only systems whose area of use has this point (degrees)
  --bbox W,S,E,N        only systems whose area of use contains this box (degrees; W > E across the antimeridian)
  --unit UNIT           only systems with this unit: metre, degree, foot (of any kind), "US survey foot", ...
  --extent-of FILE      only systems in whose area of use the coordinates of FILE can be, the most likely first; with --near only
                        those that put them within 1000 km of the point, with --bbox at least partly into the box
  --from FORMAT         format of FILE, if the extension does not state it
  --in-NAME VALUE       an option of that format (docs/formats)
  --limit N             at most N systems (default 10)
  --json                print the systems as JSON

Examples:
  geomill crs utm 32
  geomill crs --near 7.4,46.9 lv95
  geomill crs --bbox 5.9,45.8,10.5,47.8 --unit metre
  geomill crs --extent-of parcels.zip`;

export const flags = (): Flags => ({
  near: { type: 'string' },
  bbox: { type: 'string' },
  unit: { type: 'string' },
  'extent-of': { type: 'string' },
  from: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  ...formatFlags('in'),
});

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
/** Runs the command; resolves with the exit status, 1 if no system was found. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  const query = positionals.join(' ').trim();
  const search = new CrsSearch();
  const filter = filterOf(values, search);
  const limit = limitOf(values.limit);
  const file = values['extent-of'];
  if (query === '' && !filter.near && !filter.bbox && typeof file !== 'string')
    throw failure(generalErrors.USAGE, {
      detail: 'crs takes a QUERY, --near, --bbox or --extent-of; see geomill crs --help',
    });
  if (typeof file === 'string') {
    const { layers } = await inspectedFile(file, parsed, context);
    const extent = unionOf(layers.flatMap((layer) => (layer.extent === null ? [] : [layer.extent])));
    if (extent === null) throw failure(generalErrors.USAGE, { detail: `'${file}' has no coordinates` });
    const { crs, mayBeLocal } = search.suggest(extent, limit, {
      ...filter,
      query: query === '' ? null : query,
    });
    if (mayBeLocal)
      process.stderr.write(
        `geomill: the coordinates are small: if '${file}' is a plan whose position is not known, its CRS is 'local'\n`,
      );
    return print(crs, { crs: crs.map(documentOf), may_be_local: mayBeLocal });
  }
  const hits = query !== '' ? search.search(query, limit, filter) : search.list(filter, limit);
  return print(hits, { crs: hits });

  function print(shown: readonly CrsHit[], document: object): number {
    if (values.json === true) standardOutput().write(`${JSON.stringify(document, null, 2)}\n`);
    else if (shown.length > 0) standardOutput().write(tableOf(shown));
    else
      process.stderr.write(`geomill: no coordinate reference system was found; ${otherQuery(positionals)}\n`);
    return shown.length > 0 ? 0 : 1;
  }
}

/** As the API has it. */
function documentOf({ isSwapped, ...hit }: SuggestedCrs): object {
  return { ...hit, swapped: isSwapped };
}

function otherQuery([word]: readonly string[]): string {
  if (word !== undefined && statOf(word)?.isFile === true)
    return `for systems that fit a file: --extent-of ${word}`;
  return 'try fewer or other words; countries have English names; --near LON,LAT lists the systems of a place';
}

function filterOf({ near, bbox, unit }: Readonly<Record<string, unknown>>, search: CrsSearch): CrsFilter {
  const point = typeof near === 'string' ? parsePoint(near) : null;
  if (typeof near === 'string' && point === null)
    throw failure(generalErrors.USAGE, {
      detail: `--near takes longitude and latitude in degrees, such as 7.4,46.9, not '${near}'`,
    });
  const box = typeof bbox === 'string' ? parseBox(bbox) : null;
  if (typeof bbox === 'string' && box === null)
    throw failure(generalErrors.USAGE, {
      detail: `--bbox takes west, south, east and north in degrees, such as 5.9,45.8,10.5,47.8, not '${bbox}'`,
    });
  if (typeof unit !== 'string') return { near: point, bbox: box };
  const pattern = unitPattern(unit);
  const units = search.units();
  if (pattern === null || !units.some((known) => pattern.test(known)))
    throw failure(generalErrors.USAGE, {
      detail: `--unit '${unit}' is the unit of no system; known units: ${units.join(', ')}`,
    });
  return { near: point, bbox: box, unit };
}

function limitOf(value: unknown): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw failure(generalErrors.USAGE, {
    detail: `--limit takes a number from 1 to ${MAX_LIMIT}, not '${String(value)}'`,
  });
}

function unionOf(extents: readonly (readonly number[])[]): readonly [number, number, number, number] | null {
  if (extents.length === 0) return null;
  const [x, y, maxX, maxY] = [0, 1, 2, 3].map((i) => extents.map((extent) => extent[i]));
  return [Math.min(...x), Math.min(...y), Math.max(...maxX), Math.max(...maxY)];
}

function tableOf(hits: readonly (CrsHit & { readonly isSwapped?: boolean })[]): string {
  const width = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));
  const codes = width(hits.map(({ code }) => code));
  const names = width(hits.map(({ name }) => name));
  const units = width(hits.map(({ unit }) => unit));
  return hits
    .map(({ code, name, unit, area, deprecated, isSwapped = false }) => {
      const notes = `${deprecated ? ' (deprecated)' : ''}${isSwapped ? ' (if x and y are exchanged)' : ''}`;
      const where = `${area?.name ?? ''}${notes}`;
      return `${code.padEnd(codes)}  ${name.padEnd(names)}  ${unit.padEnd(units)}  ${where}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}
