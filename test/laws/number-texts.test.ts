/**
 * Law: texts that look like numbers but are none (codes with leading zeros, long ids, other notations) are the same texts after every
 * output format that is read again, in a column of their own, among each other, and among numbers.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isInputFormat, isOutputFormat } from '../../packages/formats/src/format.ts';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import { formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { statedCrs } from '../support/formats.ts';
import { readFileLayers } from '../support/read-layers.ts';

type Values = readonly (string | number)[];

/** Each with two codes at least, because a table without types cannot know of a single number in quotes. */
const CASES: Readonly<Record<string, Values>> = {
  zeros: ['007', '0815', '42', '0'],
  postal: ['01067', '10115', '20095', '80331'],
  long: ['12345678901234567890', '1', '99999999999999999999', '2'],
  signs: ['+5', '-0', '+0.5', '7'],
  mixed: ['007', 8, '0815', 9],
  many: ['1.', '.5', '0x10', '1_000'],
  groups: ['1,000', '1 000', "1'000", '10%'],
  words: ['NaN', 'Infinity', '-inf', '1'],
};
const ROWS = 4;

const collection = {
  type: 'FeatureCollection',
  features: Array.from({ length: ROWS }, (_, i) => ({
    type: 'Feature',
    properties: Object.fromEntries(Object.entries(CASES).map(([name, values]) => [name, values[i]])),
    geometry: { type: 'Point', coordinates: [8 + i, 47] },
  })),
};

for (const format of formats
  .filter(isOutputFormat)
  .filter(isInputFormat)
  .filter(({ outputFields }) => outputFields !== 'none'))
  test(`${format.id} keeps texts that look like numbers`, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.geojson');
    writeFileSync(input, JSON.stringify(collection));
    const { outputPath } = await convertFile(input, workspace.path, { from: 'geojson', to: format.id });
    const reader = await inputFormatById(format.id, 'test').loadReader();
    const options = statedCrs(format.id) === null ? {} : { crs: 'EPSG:4326' };
    const { layers } = await readFileLayers(reader, outputPath, { options });
    const found = layers
      .flatMap(({ rows }) => rows)
      .toSorted((a, b) => longitude(a.geometry) - longitude(b.geometry));
    for (const [name, values] of Object.entries(CASES))
      assert.deepEqual(found.map(({ properties }) => String(properties[name])), values.map(String), name); // biome-ignore format: one line
  });

const longitude = (wkt: string | null): number => Number(/-?[\d.]+/.exec(wkt ?? '')?.[0]);
