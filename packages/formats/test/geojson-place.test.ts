/** The member 'place' without a word of JSON-FG: it is read where a feature would lose its geometry, and only there. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ReadLayer, readBytesLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/geojson/read.ts';

const POINT = '{"type":"Point","coordinates":[50,55]}';
const PLAIN = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}';

const feature = (members: string): string => `{"type":"Feature",${members},"properties":{"n":"a"}}`;
const collection = (...features: readonly string[]): string =>
  `{"type":"FeatureCollection","features":[${features.join(',')}]}`;

async function read(text: string, partitionBytes?: number): Promise<ReadLayer> {
  const { layers } = await readBytesLayers(reader, text, { name: 'input.json', partitionBytes });
  assert.equal(layers.length, 1);
  return layers[0];
}

const alone: Readonly<Record<string, string>> = {
  'before a geometry of null': collection(feature(`"place":${POINT},"geometry":null`)),
  'after a geometry of null': collection(feature(`"geometry":null,"place":${POINT}`)),
  'without a geometry': collection(feature(`"place":${POINT}`)),
  'in the last of several features': collection(PLAIN, PLAIN, feature(`"geometry":null,"place":${POINT}`)),
  'a feature alone': feature(`"geometry":null,"place":${POINT}`),
  'lines of features': [PLAIN, feature(`"geometry":null,"place":${POINT}`)].join('\n'),
};
for (const [name, text] of Object.entries(alone))
  test(`a geometry in 'place' alone is read: ${name}`, async () => {
    for (const partitionBytes of [undefined, 64]) {
      const { source, rows } = await read(text, partitionBytes);
      assert.equal(source.crs, 'EPSG:4326');
      assert.deepEqual(rows.at(-1)?.geometry, 'POINT (50 55)');
    }
  });

test("a geometry in 'place' alone is refused where the beginning of the file does not show that there are any", async () => {
  const features = Array.from({ length: 2000 }, () => PLAIN);
  const text = collection(...features, feature(`"geometry":null,"place":${POINT}`), ...features);
  await assert.rejects(read(text), {
    code: 'GEOJSON_STRUCTURE',
    message: /the geometry of this feature is in its member 'place' .* add the member 'conformsTo'/,
  });
});

const kept: Readonly<Record<string, readonly [text: string, wkt: string | null]>> = {
  'beside a geometry': [
    collection(feature(`"geometry":{"type":"Point","coordinates":[1,2]},"place":${POINT}`)),
    'POINT (1 2)',
  ],
  'before a geometry': [
    collection(feature(`"place":${POINT},"geometry":{"type":"Point","coordinates":[1,2]}`)),
    'POINT (1 2)',
  ],
  null: [collection(feature('"geometry":null,"place":null')), null],
  'a name': [collection(feature('"geometry":null,"place":"Berlin"')), null],
  'an address': [collection(feature('"geometry":null,"place":{"type":"city","name":"Berlin"}')), null],
  'a property': [
    `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"place":${POINT}}}]}`,
    null,
  ],
};
for (const [name, [text, wkt]] of Object.entries(kept))
  test(`a 'place' that is no lost geometry changes nothing: ${name}`, async () => {
    assert.deepEqual((await read(text)).rows[0].geometry, wkt);
  });
