/** Checks that a peer wrote the same as geomill, before a ratio of their times means anything. */
import { statedCrs, traitsOf } from '../test/support/formats.ts';
import { outputOf } from './measure.ts';
import type { Pair } from './pairs.ts';
import { GEOMILL } from './program.ts';

/** What `geomill info --json` says, as far as it is compared. */
interface Description {
  readonly layers: readonly {
    readonly features: number;
    readonly extent: readonly number[] | null;
    readonly fields: readonly { readonly name: string; readonly non_null: number }[];
  }[];
}

/** Relative to the larger of the numbers, for text with few digits; 1e-9 of a northing is 6 mm. */
const TOLERANCE = 1e-9;

/**
 * Throws an error that names the first difference: number of features, extent. Both files are read by geomill; tests compare its
 * readers with GDAL's. Returns what is the same, and the fields that only one of the files has or that have another number of
 * values: GDAL makes the `id` of GeoJSON the key of a GeoPackage, and GDAL 3.7 and later reads a blank logical of a .dbf as false.
 */
export function checkSameContent(pair: Pair, ours: string, theirs: string): string {
  const own = describe(pair, ours);
  const other = describe(pair, theirs);
  const differ = (what: string, a: unknown, b: unknown): Error =>
    new Error(`${pair.name}: ${what} of ${ours} and ${theirs}: ${JSON.stringify(a)}, ${JSON.stringify(b)}`);
  // A layer without geometries has none.
  const extents = [own, other].map(({ layers }) =>
    layers.flatMap(({ extent }) => (extent === null ? [] : [extent])).reduce(joined),
  );
  if (
    extents[0].some((value, i) => Math.abs(value - extents[1][i]) > TOLERANCE * Math.max(1, Math.abs(value)))
  )
    throw differ('extents', extents[0], extents[1]);
  const findsSameRows = [pair.from, pair.to].every((id) => {
    const { gdal, gdalReads = false, gdalTable } = traitsOf(id);
    return gdal?.findsSameRows ?? (gdalReads || gdalTable !== undefined);
  });
  if (!findsSameRows) return 'extents only';
  const [[mine], [peer]] = [own.layers, other.layers];
  if (mine.features !== peer.features) throw differ('features', mine.features, peer.features);
  const [counts, others] = [mine, peer].map(
    ({ fields }) => new Map(fields.map(({ name, non_null: count }) => [name.toLowerCase(), count])),
  );
  const names = new Set([...counts.keys(), ...others.keys()]);
  const exceptions = [...names].filter((name) => counts.get(name) !== others.get(name)).join(', ');
  return `rows, fields${exceptions === '' ? '' : ` (but ${exceptions})`}, extents`;
}

function joined(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, i) => (i < 2 ? Math.min(value, b[i]) : Math.max(value, b[i])));
}

function describe(pair: Pair, path: string): Description {
  const argv = [process.execPath, GEOMILL, 'info', path, '--json'];
  const crs = statedCrs(pair.to);
  if (crs !== null) argv.push('--from-crs', pair.reproject ? 'EPSG:32632' : crs);
  return JSON.parse(outputOf(argv)) as Description;
}
