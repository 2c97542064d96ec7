/**
 * Our results against PROJ's own program, pair by pair, both ways: within 1e-9 degrees or 0.1 mm, with and without
 * grids, with the EPSG database we ship and with the older one that Debian ships. The differences that remain are
 * named below, one by one, with the reason; one that disappears fails the test, so that the list stays true.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test, { after } from 'node:test';
import { plainTransformer } from '../../packages/engines/proj/src/plain-transformer.ts';
import { Proj } from '../../packages/engines/proj/src/proj.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { CRS_PAIRS, type CrsPair } from './crs-pairs.ts';
import { CS2CS, cs2cs, dataDirectories, SYSTEM_DATA, systemGrids } from './cs2cs.ts';

const DEGREES = 1e-9;
const METERS = 1e-4;

interface Difference {
  readonly reason: string;
  /** Databases it shows with; both unless stated. */
  readonly database?: 'same' | 'older';
  /** It shows only where no grids are installed. */
  readonly onlyWithoutGrids?: true;
  /** What the difference may be at most, in the unit of the target; absent: cs2cs gives nothing to compare with. */
  readonly atMost?: number;
}

const AUTHALIC =
  "PROJ 9.1 inverts the authalic latitude by a short series, good to 1e-8 degrees; ours returns the source's digits";
const ELLIPSOIDAL_EQC =
  'PROJ 9.1 computes EPSG method 1028 (Equidistant Cylindrical) on the sphere; since 9.5 it is ellipsoidal';
const KROVAK = 'PROJ 9.1 cannot build the operation ETRS89_TO_S_JTSK_E_N of the newer database and gives up';

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'EPSG:6933 EPSG:4326': { reason: AUTHALIC, atMost: 1.1e-8 },
  'EPSG:8857 EPSG:4326': { reason: AUTHALIC, atMost: 1.1e-8 },
  'EPSG:3035 EPSG:4258': { reason: AUTHALIC, atMost: 1.1e-8 },
  'EPSG:4326 EPSG:4087': { reason: ELLIPSOIDAL_EQC, atMost: 30_000 },
  'EPSG:4087 EPSG:4326': { reason: ELLIPSOIDAL_EQC, atMost: 0.3 },
  'EPSG:27572 EPSG:2154': {
    reason: 'PROJ 9.1 finds no usable operation in the newer database without grids and answers "*"',
    database: 'same',
    onlyWithoutGrids: true,
  },
  'EPSG:5514 EPSG:4326': { reason: KROVAK, database: 'same' },
  'EPSG:4326 EPSG:5514': { reason: KROVAK, database: 'same' },
};

const skip = existsSync(CS2CS) && existsSync(SYSTEM_DATA) ? false : `${CS2CS} (proj-bin) is not installed`;
const skipGrids = skip || (systemGrids().length > 0 ? false : `${SYSTEM_DATA} holds no grids (proj-data)`);

/** Each pair with each database takes a process. */
const DATABASES: readonly ('same' | 'older')[] = IS_EXHAUSTIVE ? ['same', 'older'] : ['same'];
const directories = skip ? null : dataDirectories();
after(() => directories?.remove());

test('the table has at least 60 pairs', () => {
  assert.ok(CRS_PAIRS.length >= 60);
});

/** Each takes half a second: every other one runs, all in an exhaustive run. */
const PAIRS = CRS_PAIRS.filter((_, i) => IS_EXHAUSTIVE || i % 2 === 0);

for (const pair of PAIRS) {
  const { from, to, about } = pair;
  test(`${from} and ${to} (${about}) equal cs2cs without grids`, { skip }, async () => {
    const proj = await Proj.load({ gridDirectory: null });
    const back = await compare(proj, from, to, sourcePositions(proj, pair), false);
    await compare(proj, to, from, back, false);
  });
  test(`${from} to ${to} (${about}) equals cs2cs with grids`, { skip: skipGrids }, async () => {
    const proj = await Proj.load({ gridDirectory: SYSTEM_DATA });
    const plain = await Proj.load({ gridDirectory: null });
    await compare(proj, from, to, sourcePositions(plain, pair), true);
  });
}

/** The places of a pair in its source CRS. Both programs get the same numbers, so it matters not how they came about. */
function sourcePositions(proj: Proj, { from, places }: CrsPair): Float64Array {
  const positions = Float64Array.from(places.flat());
  const isGreenwichDegrees = proj.describe(from, 'from').kind === 'geographic' && !/480[567]/.test(from);
  if (!isGreenwichDegrees) proj.transformer('EPSG:4326', from).transform(positions, 'XY');
  return positions;
}

/** Compares one direction and returns our result. */
async function compare(
  proj: Proj,
  from: string,
  to: string,
  source: Float64Array,
  hasGrids: boolean,
): Promise<Float64Array> {
  const ours = source.slice();
  const transformer = proj.transformer(from, to);
  const outcome = transformer.transform(ours, 'XY');
  assert.equal(outcome.failedCount, 0, outcome.reason);
  // Where conversions do without PROJ, that result is compared.
  const plain = plainTransformer(transformer.recipe);
  if (plain !== null) {
    ours.set(source);
    plain.transform(ours, 'XY');
  }
  const { kind, unitFactor } = proj.describe(to, 'to');
  const tolerance = kind === 'geographic' ? DEGREES : METERS / unitFactor;
  const databases = {
    same: hasGrids ? directories!.sameWithGrids : directories!.same,
    older: hasGrids ? directories!.olderWithGrids : directories!.older,
  };
  await Promise.all(
    DATABASES.map(async (database) => {
      const theirs = await cs2cs(databases[database], from, to, [...source]).catch(() => null);
      const distance = theirs === null ? Infinity : greatestDistance(ours, theirs);
      const named = differenceOf(from, to, database, hasGrids);
      const found = `${from} to ${to}, ${database} database: off by ${distance}, cs2cs ${theirs}, ours ${ours}`;
      if (named === null) assert.ok(distance <= tolerance, `${found}; ${outcome.operations[0]?.name}`);
      else assert.ok(distance > tolerance, `${found}: no longer different, remove it from the list`);
      if (named?.atMost !== undefined) assert.ok(distance <= named.atMost, found);
    }),
  );
  return ours;
}

function differenceOf(
  from: string,
  to: string,
  database: 'same' | 'older',
  hasGrids: boolean,
): Difference | null {
  const named = DIFFERENCES[`${from} ${to}`];
  if (named === undefined || (named.database ?? database) !== database) return null;
  return hasGrids && named.onlyWithoutGrids ? null : named;
}

function greatestDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  assert.equal(a.length, b.length);
  let greatest = 0;
  for (let i = 0; i < a.length; i++) greatest = Math.max(greatest, Math.abs(a[i] - b[i]));
  return greatest;
}

test('transforms heights with a geoid grid as cs2cs does', { skip: skipGrids }, async () => {
  const proj = await Proj.load({ gridDirectory: SYSTEM_DATA });
  const source = [10, 50, 100, -70, -33, 0, 151.2, -33.87, 5.5];
  const ours = Float64Array.from(source);
  const transformer = proj.transformer('EPSG:4979', 'EPSG:4326+5773');
  const { operations } = transformer.transform(ours, 'XYZ');
  const theirs = await cs2cs(directories!.sameWithGrids, 'EPSG:4979', 'EPSG:4326+5773', source, 3);
  assert.ok(greatestDistance(ours, theirs) <= METERS, `${ours} and ${theirs}`);
  assert.ok(Math.abs(ours[2] - source[2]) > 10, 'the geoid undulation was applied');
  assert.deepEqual(operations[0].gridsUsed, ['us_nga_egm96_15.tif']);
});

test('uses and reports an installed grid, and reports a missing one', { skip: skipGrids }, async () => {
  const withGrids = await Proj.load({ gridDirectory: SYSTEM_DATA });
  const without = await Proj.load({ gridDirectory: null });
  const place = Float64Array.of(3_566_000, 5_935_000);
  const better = withGrids.transformer('EPSG:31467', 'EPSG:4258').transform(place.slice(), 'XY')
    .operations[0];
  const worse = without.transformer('EPSG:31467', 'EPSG:4258').transform(place.slice(), 'XY').operations[0];
  assert.deepEqual(better.gridsUsed, ['de_adv_BETA2007.tif']);
  assert.deepEqual(better.gridsMissing, []);
  assert.deepEqual(worse.gridsUsed, []);
  assert.deepEqual(worse.gridsMissing, ['de_adv_BETA2007.tif']);
  assert.ok(better.accuracyMeters! < worse.accuracyMeters!);
});
