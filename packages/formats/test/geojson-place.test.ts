/** The member 'place' of JSON-FG: a file is refused if it would lose geometries, and read if it would not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/geojson/read.ts';

const POINT = '{"type":"Point","coordinates":[500000,5500000]}';
const PLAIN = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}';

const feature = (members: string): string => `{"type":"Feature",${members},"properties":{"n":"a"}}`;
const collection = (...features: readonly string[]): string =>
  `{"type":"FeatureCollection","conformsTo":["http://www.opengis.net/spec/json-fg-1/1.0/conf/core"],"features":[${features.join(',')}]}`;

async function read(text: string, partitionBytes?: number): Promise<void> {
  await readBytesLayers(reader, text, { name: 'input.json', partitionBytes });
}

const lost: Readonly<Record<string, string>> = {
  'before a geometry of null': collection(feature(`"place":${POINT},"geometry":null`)),
  'after a geometry of null': collection(feature(`"geometry":null,"place":${POINT}`)),
  'without a geometry': collection(feature(`"place":${POINT}`)),
  'in the last of several features': collection(PLAIN, PLAIN, feature(`"geometry":null,"place":${POINT}`)),
  'a collection': collection(
    feature('"geometry":null,"place":{"type":"GeometryCollection", "geometries" : []}'),
  ),
  'a prism': collection(feature(`"geometry":null,"place":{"type":"Prism","base":${POINT},"upper":3}`)),
  'a feature alone': feature(`"geometry":null,"place":${POINT}`),
  'lines of features': [PLAIN, feature(`"geometry":null,"place":${POINT}`)].join('\n'),
};
for (const [name, text] of Object.entries(lost))
  test(`a geometry in 'place' alone is refused: ${name}`, async () => {
    await assert.rejects(read(text), {
      code: 'GEOJSON_STRUCTURE',
      message: /the geometry of this feature is in its member 'place' \(JSON-FG\), which is not read/,
    });
    await assert.rejects(read(text, 64), { code: 'GEOJSON_STRUCTURE' });
  });

const kept: Readonly<Record<string, string>> = {
  'beside a geometry': collection(
    feature(`"geometry":{"type":"Point","coordinates":[1,2]},"place":${POINT}`),
  ),
  'before a geometry': collection(
    feature(`"place":${POINT},"geometry":{"type":"Point","coordinates":[1,2]}`),
  ),
  null: collection(feature('"geometry":null,"place":null')),
  'a name': collection(feature('"geometry":null,"place":"Berlin"')),
  'an address': collection(feature('"geometry":null,"place":{"type":"city","name":"Berlin"}')),
  'a property': `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"place":${POINT}}}]}`,
};
for (const [name, text] of Object.entries(kept))
  test(`a 'place' that is no lost geometry is read: ${name}`, async () => {
    await read(text);
  });
