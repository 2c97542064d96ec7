/** Steps with a second source give what geopandas gives: join, spatial_join, overlay. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { stepWithSource } from '../support/second-source.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'second_sources.py');
const skip =
  spawnSync(PYTHON, ['-c', 'import geopandas']).status === 0
    ? false
    : 'python3 with geopandas is not installed';
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));

type Case = readonly [kind: string, left: string, right: string, what: string | number | null];

/** One process for all cases: it takes a second to start. */
function askPython(cases: readonly Case[]): unknown[] {
  const made = spawnSync(PYTHON, [SCRIPT, 'make', directory, IS_EXHAUSTIVE ? '3000' : '400']);
  assert.equal(made.status, 0, String(made.stderr));
  const input = cases.map((one) => JSON.stringify(one)).join('\n');
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-W', 'ignore', SCRIPT, directory], {
    input,
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, String(stderr));
  return String(stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

interface Row {
  readonly [name: string]: string | number | null;
}

async function run(type: string, left: string, right: string, params: object): Promise<readonly Row[]> {
  using workspace = makeWorkspace();
  const path = join(directory, `${right}.csv`);
  const crs = { source_crs: 'EPSG:25832' };
  const { outputPath } = await convertFile(join(directory, `${left}.csv`), workspace.path, {
    from: 'csv',
    fromCrs: 'EPSG:25832',
    to: 'geojson',
    threads: 1,
    transformations: [
      stepWithSource(type, { source: path, ...(type === 'join' ? {} : crs), ...params, prefix: 's_' }),
      ...(type === 'overlay' ? [MEASURE] : []),
    ],
    stepInputs: { [path]: { path, name: `${right}.csv` } },
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: { properties: Row }[] };
  return features.map(({ properties }) => properties);
}

const MEASURE = {
  type: 'calculate',
  params: { fields: { size: 'case when area_planar() > 0 then area_planar() else length_planar() end' } },
} as const;

const pairsOf = (rows: readonly Row[]): unknown[] =>
  rows
    .map(({ n, s_n: other }) => [n, other] as [number, number | null])
    .sort((a, b) => a[0] - b[0] || (a[1] ?? -1) - (b[1] ?? -1));

const KINDS = ['points', 'lines', 'polygons'] as const;
const PREDICATES = ['intersects', 'within', 'contains', 'touches', 'crosses', 'overlaps'] as const;

const cases: Case[] = [
  ['join', 'points', 'polygons', 'left'],
  ['join', 'points', 'polygons', 'inner'],
  ...KINDS.flatMap((left) =>
    KINDS.flatMap((right, i) =>
      PREDICATES.filter((_, p) => IS_EXHAUSTIVE || p % 3 === i).map(
        (predicate) => ['sjoin', left, right, predicate] as const,
      ),
    ),
  ),
  ['sjoin', 'polygons', 'others', 'overlaps'],
  ...KINDS.map((left) => ['nearest', left, 'polygons', null] as const),
  ['nearest', 'points', 'lines', 12.5],
  ['nearest', 'polygons', 'points', null],
  ['overlay', 'polygons', 'others', 'intersection'],
  ['overlay', 'polygons', 'others', 'identity'],
  ['overlay', 'polygons', 'others', 'union'],
  ['overlay', 'polygons', 'others', 'symmetric_difference'],
  ['overlay', 'lines', 'polygons', 'intersection'],
];
const answers = skip === false ? askPython(cases) : [];

for (const [i, [kind, left, right, what]] of cases.entries())
  test(`${kind} of ${left} and ${right} (${what}) is that of geopandas`, { skip }, async () => {
    if (kind === 'join') {
      const found = await run('join', left, right, { key: ['code'], how: what, matches: 'all' });
      assert.deepEqual(pairsOf(found), (answers[i] as [number, number | null][]).sort((a, b) => a[0] - b[0] || (a[1] ?? -1) - (b[1] ?? -1))); // biome-ignore format: one line
      assert.ok(found.length > 100);
    } else if (kind === 'sjoin') {
      const params = { predicate: what, how: 'inner', matches: 'all' };
      assert.deepEqual(pairsOf(await run('spatial_join', left, right, params)), answers[i]);
    } else if (kind === 'overlay') {
      const sizes = new Map<string, number>();
      for (const { n, s_n: other, size } of await run('overlay', left, right, { how: what })) {
        const key = JSON.stringify([n, other]).replace(',', ', ');
        sizes.set(key, (sizes.get(key) ?? 0) + Number(size));
      }
      const expected = new Map(Object.entries(answers[i] as Record<string, number>));
      assert.ok(expected.size > 50);
      for (const key of new Set([...sizes.keys(), ...expected.keys()]))
        assert.ok(
          Math.abs((sizes.get(key) ?? 0) - (expected.get(key) ?? 0)) < 1e-5,
          `${key}: ${sizes.get(key)} and ${expected.get(key)}`,
        );
    } else {
      const most = what === null ? {} : { max_distance: what, units: 'meters' };
      const params = { predicate: 'nearest', distance_field: 'd', how: 'inner', matches: 'all', ...most };
      const found = (await run('spatial_join', left, right, params)).map(({ n, d }) => [
        Number(n),
        Math.round(Number(d) * 1e6) / 1e6,
      ]);
      assert.deepEqual(found.sort((a, b) => a[0] - b[0] || a[1] - b[1]), answers[i]); // biome-ignore format: one line
    }
  });
