/** Integers of any number of digits: all of them are kept, and none becomes a BigInt, which takes more than linear time. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';

const DIGITS = '7'.repeat(100_000);
const MOST_CHARACTERS = 50;

const collection = (id: string, properties: string): string =>
  `{"type":"FeatureCollection","features":[{"type":"Feature","id":${id},"properties":${properties},"geometry":{"type":"Point","coordinates":[1,2]}}]}`;

const CASES: readonly (readonly [what: string, format: string, text: string])[] = [
  ['a property', 'geojson', collection('1', `{"a":${DIGITS}}`)],
  ['a negative property', 'geojson', collection('1', `{"a":-${DIGITS}}`)],
  ['a nested property', 'geojson', collection('1', `{"a":[${DIGITS}]}`)],
  ['an id', 'geojson', collection(DIGITS, '{}')],
  ['a text', 'geojson', collection(`"${DIGITS}"`, `{"a":"${DIGITS}"}`)],
  ['a cell', 'csv', `a,geom_wkt\n${DIGITS},POINT (1 2)\n7,POINT (1 2)\n`],
  ['an exponent', 'csv', `a,geom_wkt\n1e${DIGITS},POINT (1 2)\n`],
];

for (const [what, from, text] of CASES)
  for (const to of ['geojson', 'csv', 'gpkg'])
    test(`${what} of 100,000 digits from ${from} to ${to}`, async (context) => {
      using workspace = makeWorkspace();
      const path = join(workspace.path, `x.${from}`);
      writeFileSync(path, text);
      const original = BigInt;
      const guarded = new Proxy(original, {
        apply(target, self, [value]: [string]) {
          assert.ok(String(value).length <= MOST_CHARACTERS, 'a long text becomes a BigInt');
          return Reflect.apply(target, self, [value]);
        },
      });
      context.after(() => {
        globalThis.BigInt = original;
      });
      globalThis.BigInt = guarded;
      const { outputPath } = await convertFile(path, workspace.path, {
        from,
        to,
        fromCrs: from === 'csv' ? 'EPSG:4326' : null,
        threads: 1,
      });
      if (to !== 'gpkg') assert.ok(readFileSync(outputPath, 'latin1').includes(DIGITS));
    });
