/** A file is never told to look like the format that it was said not to be, nor with the name of an option that nobody gave. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

async function refusalOf(name: string, content: string | Uint8Array, from: string): Promise<string> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, name);
  writeFileSync(path, content);
  try {
    await convertFile(path, join(workspace.path, 'out'), { from, to: 'csv', toCrs: 'source' });
  } catch (error) {
    if (error instanceof GeomillError) return error.message;
    throw error;
  }
  return 'nothing was refused';
}

const POINT = '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}';
const COLLECTION = `{"type":"FeatureCollection","features":[${POINT}]}`;
const TOPOLOGY = '{"type":"Topology","objects":{},"arcs":[]}';

test('a document with GeoJSON, TopoJSON or EsriJSON inside is not told to look like it', async () => {
  const nested: readonly (readonly [from: string, content: string, found: RegExp])[] = [
    ['geojson', `{"point":{"geoJSON":${COLLECTION}}}`, /GeoJSON inside another document; save that part/],
    ['geojson', `{"result":${POINT}}`, /GeoJSON inside another document/],
    ['geojson', `{"a":[${COLLECTION}],"b":1}`, /GeoJSON inside another document/],
    ['geojson', `{"data":${TOPOLOGY}}`, /TopoJSON/],
    ['topojson', `{"data":${TOPOLOGY}}`, /TopoJSON inside another document/],
    ['topojson', `{"data":{"x":${TOPOLOGY}}}`, /TopoJSON inside another document/],
    ['topojson', `{"data":${COLLECTION}}`, /GeoJSON/],
  ];
  for (const [from, content, found] of nested) {
    const message = await refusalOf('nested.json', content, from);
    assert.match(message, found);
    assert.doesNotMatch(message, /is not (\w+): it looks like \1$/);
  }
});

test('a misspelt type is told the type that is meant', async () => {
  const types: readonly (readonly [wrong: string, right: RegExp])[] = [
    ['Featur', /write 'Feature'/],
    ['FeatureColection', /write 'FeatureCollection'/],
    ['feature', /write 'Feature'/],
    ['Pointt', /write 'Point'/],
    ['multipolygon', /write 'MultiPolygon'/],
    ['Feature Collection', /write 'FeatureCollection'/],
    ['Circle', /the types are FeatureCollection, Feature, Point/],
  ];
  for (const [type, right] of types)
    assert.match(
      await refusalOf('a.geojson', JSON.stringify({ type, coordinates: [1, 2] }), 'geojson'),
      right,
      type,
    );
});

test('an entry that unpacks to more than it declares is told so, in words about the archive', async () => {
  const content = Buffer.from(`{"type":"FeatureCollection","features":[${`${POINT},`.repeat(20)}${POINT}]}`);
  for (const declared of [1, 600, content.length - 1]) {
    const message = await refusalOf('lying.zip', zipOf('roads.shp', content, declared), 'shp');
    assert.match(message, new RegExp(`it unpacks to more bytes than the ${declared} it declares`));
    assert.doesNotMatch(message, /Buffer/);
  }
});

/** A zip with one entry that declares another size than it has. */
function zipOf(name: string, content: Uint8Array, declared: number): Uint8Array {
  const packed = deflateRawSync(content);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(declared, 8);
  const common = Buffer.concat([
    Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]),
    sizes,
    Buffer.from([name.length, 0, 0, 0]),
  ]);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\0', 'latin1'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}
