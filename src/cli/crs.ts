/** `geomill crs QUERY`: searches coordinate reference systems, also by a point or by the coordinates of a file. */
import { type CrsHit, CrsSearch, type GeographicPoint, parsePoint } from '../crs-search/crs-search.ts';
import { failure } from '../errors.ts';
import { crsCandidates, fitsDegrees, GRIDS, isHeldBy } from '../pipeline/crs-advice.ts';
import { CrsService } from '../pipeline/crs-service.ts';
import { type Flags, formatFlags, parseCommand } from './arguments.ts';
import type { CommandContext } from './conversion.ts';
import { statOf } from './files.ts';
import { inspectFile } from './info.ts';

export const usage = `geomill crs [QUERY] [options]

  QUERY                 an EPSG code, or words of the name, the alias or the area: utm 32, swiss, EPSG:2583
  --near LON,LAT        only systems whose area of use has this point (degrees)
  --extent-of FILE      only systems whose area of use holds the coordinates of FILE, read in that system; without QUERY
                        and --near, the most likely of about 50 widely used systems; otherwise of the best 300 of the search
  --from FORMAT         format of FILE, if the extension does not state it
  --in-NAME VALUE       an option of that format (docs/formats)
  --limit N             at most N systems (default 10)
  --json                print the systems as JSON

Examples:
  geomill crs utm 32
  geomill crs --near 7.4,46.9 lv95
  geomill crs --extent-of parcels.zip`;

export const flags = (): Flags => ({
  near: { type: 'string' },
  'extent-of': { type: 'string' },
  from: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  ...formatFlags('in'),
});

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
/** Systems whose extents are computed for one search; each takes some milliseconds. */
const MAX_EXTENTS = 300;

/** Runs the command; resolves with the exit status, 1 if no system was found. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  const query = positionals.join(' ').trim();
  const near = pointOf(values.near);
  const limit = limitOf(values.limit);
  const file = values['extent-of'];
  if (query === '' && near === null && typeof file !== 'string')
    throw failure('USAGE', { detail: 'crs takes a QUERY, --near or --extent-of; see geomill crs --help' });
  const search = new CrsSearch();
  const find = (count: number): readonly CrsHit[] =>
    query !== '' ? search.search(query, count, near) : near === null ? [] : search.near(near, count);
  let hits: readonly CrsHit[];
  let isCut = false;
  if (typeof file === 'string') {
    const { layers } = await inspectFile(file, parsed, context);
    const extent = unionOf(layers.flatMap((layer) => (layer.extent === null ? [] : [layer.extent])));
    if (extent === null) throw failure('USAGE', { detail: `'${file}' has no coordinates` });
    const crs = new CrsService(context.gridDirectory);
    await crs.prepare(GRIDS);
    if (query === '' && near === null) hits = likely(extent, crs).flatMap((code) => search.get(code) ?? []);
    else {
      const found = find(MAX_EXTENTS + 1);
      isCut = found.length > MAX_EXTENTS;
      hits = found.slice(0, MAX_EXTENTS).filter(({ code }) => isHeldBy(code, extent, crs));
    }
  } else hits = find(limit);
  const shown = hits.slice(0, limit);
  if (isCut)
    process.stderr.write(
      `geomill: only the best ${MAX_EXTENTS} systems of this search were compared with the file; for others add words or --near LON,LAT\n`,
    );
  if (values.json === true)
    process.stdout.write(
      `${JSON.stringify({ crs: shown, ...(isCut ? { compared: MAX_EXTENTS } : {}) }, null, 2)}\n`,
    );
  else if (shown.length > 0) process.stdout.write(tableOf(shown));
  else
    process.stderr.write(`geomill: no coordinate reference system was found; ${otherQuery(positionals)}\n`);
  return shown.length > 0 ? 0 : 1;
}

function otherQuery([word]: readonly string[]): string {
  if (word !== undefined && statOf(word)?.isFile() === true)
    return `for systems that fit a file: --extent-of ${word}`;
  return 'try fewer or other words; countries have English names; --near LON,LAT lists the systems of a place';
}

function pointOf(value: unknown): GeographicPoint | null {
  if (typeof value !== 'string') return null;
  const point = parsePoint(value);
  if (point !== null) return point;
  throw failure('USAGE', {
    detail: `--near takes longitude and latitude in degrees, such as 7.4,46.9, not '${value}'`,
  });
}

function limitOf(value: unknown): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw failure('USAGE', { detail: `--limit takes a number from 1 to ${MAX_LIMIT}, not '${String(value)}'` });
}

function likely(extent: Extent, crs: CrsService): readonly string[] {
  return fitsDegrees(extent) ? ['EPSG:4326'] : crsCandidates(extent, crs);
}

type Extent = Parameters<typeof crsCandidates>[0];

function unionOf(extents: readonly (readonly number[])[]): Extent | null {
  if (extents.length === 0) return null;
  const [x, y, maxX, maxY] = [0, 1, 2, 3].map((i) => extents.map((extent) => extent[i]));
  return [Math.min(...x), Math.min(...y), Math.max(...maxX), Math.max(...maxY)];
}

function tableOf(hits: readonly CrsHit[]): string {
  const width = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));
  const codes = width(hits.map(({ code }) => code));
  const names = width(hits.map(({ name }) => name));
  const units = width(hits.map(({ unit }) => unit));
  return hits
    .map(({ code, name, unit, area, deprecated }) => {
      const where = `${area?.name ?? ''}${deprecated ? ' (deprecated)' : ''}`;
      return `${code.padEnd(codes)}  ${name.padEnd(names)}  ${unit.padEnd(units)}  ${where}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}
