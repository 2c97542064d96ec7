/** A conversion that may lose or change nothing (`fail_on`). */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import type { FailOn } from '../../../packages/core/src/messages/findings.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { FLAG_FORM } from '../src/wording.ts';

const point = (coordinates: number[], properties: object = {}): object => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates },
});

interface Case {
  readonly name: string;
  readonly features: readonly object[];
  readonly to: ConvertOptions;
  readonly worst: 'info' | 'changed' | 'lost';
  readonly code: string;
}

const CASES: readonly Case[] = [
  {
    name: 'a fourth ordinate',
    features: [point([1, 2, 3, 4])],
    to: { from: 'geojson', to: 'geojson' },
    worst: 'lost',
    code: 'EXTRA_ORDINATES',
  },
  {
    name: 'a field with a longer name than a shapefile has room for',
    features: [point([1, 2], { a_long_field_name: 1 })],
    to: { from: 'geojson', to: 'shp' },
    worst: 'changed',
    code: 'FIELD_RENAMED',
  },
  {
    name: 'a CRS that the output cannot state',
    features: [point([1, 2], { a: 1 })],
    to: { from: 'geojson', to: 'csv', toCrs: 'EPSG:25832' },
    worst: 'info',
    code: 'CRS_NOT_WRITTEN',
  },
];

for (const { name, features, to, worst, code } of CASES)
  test(`${name} is ${worst}: such a job fails if fail_on is that severity or a lesser one`, async () => {
    for (const failOn of [undefined, 'lost', 'changed'] as const) {
      using workspace = makeWorkspace();
      const input = join(workspace.path, 'in.geojson');
      writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
      const fails = failOn !== undefined && (worst === 'lost' || worst === failOn);
      const conversion = convertFile(input, workspace.path, { ...to, ...(failOn && { failOn }) });
      if (!fails) {
        const { report } = await conversion;
        assert.ok(report.severities !== undefined && report.severities[worst] >= 1);
        continue;
      }
      const error = await conversion.then(
        () => assert.fail('the conversion did not fail'),
        (thrown: unknown) => thrown as GeomillError,
      );
      assert.equal(error.code, 'FINDINGS_REFUSED');
      assert.match(error.message, new RegExp(`'fail_on' \\(${failOn}\\) .*\\(${code}`));
      assert.match(error.inForm(FLAG_FORM).message, /'--fail-on'/);
      assert.deepEqual(workspace.entries(), ['in.geojson', 'out', 'scratch']);
    }
  });

test('an output that is to be replaced stays as it is', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  const output = join(workspace.path, 'out', 'out.geojson');
  writeFileSync(input, JSON.stringify(CASES[0].features[0]));
  mkdirSync(join(workspace.path, 'out'));
  writeFileSync(output, 'earlier');
  const failOn: FailOn = 'lost';
  await assert.rejects(convertFile(input, workspace.path, { ...CASES[0].to, failOn }), GeomillError);
  assert.ok(existsSync(output));
  assert.equal(readFileSync(output, 'utf8'), 'earlier');
});

test('the error names the first five findings and counts the others', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  const fields = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`a_long_field_name_${i}`, i]));
  writeFileSync(input, JSON.stringify(point([1, 2], fields)));
  await assert.rejects(
    convertFile(input, workspace.path, { from: 'geojson', to: 'shp', failOn: 'changed' }),
    /^GeomillError: 9 warnings have a severity.*FIELD_RENAMED\); and 4 more; correct/,
  );
});
