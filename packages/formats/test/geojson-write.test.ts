import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { batchArbitrary } from '../../../test/support/geometry-arbitrary.ts';
import { type ReadInput, readBytesLayers } from '../../../test/support/read-layers.ts';
import { batchRows, type Row } from '../../../test/support/rows.ts';
import { ColumnBuilder } from '../../core/src/columns/attribute-column.ts';
import { castBatch } from '../../core/src/columns/cast.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION as wgs84 } from '../../core/src/crs/wgs84.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { signedArea } from '../../core/src/geometry/rings.ts';
import { type Finding, Findings } from '../../core/src/messages/findings.ts';
import { geojson } from '../src/geojson/format.ts';
import { reader } from '../src/geojson/read.ts';
import { writer } from '../src/geojson/write.ts';
import { validateOptions } from '../src/options.ts';
import type { OutputLayer } from '../src/writer.ts';

const mga: CrsDescription = {
  ...wgs84,
  definition: 'EPSG:28350',
  name: 'GDA94 / MGA zone 50',
  authority: { name: 'EPSG', code: '28350' },
  kind: 'projected',
};

interface Written {
  readonly text: string;
  readonly json: { features: Record<string, unknown>[] } & Record<string, unknown>;
  readonly findings: readonly Finding[];
}

async function write(
  batches: readonly FeatureBatch[],
  options: Record<string, unknown> = {},
  layer: Partial<OutputLayer> = {},
): Promise<Written> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-geojson-'));
  try {
    const findings = new Findings();
    const context = {
      name: 'out',
      options: validateOptions(geojson.writeOptions, options, 'output'),
      findings,
    };
    const plain = { name: 'roads', fields: null, statistics: null, crs: wgs84, coordinatesComputed: false };
    const encodings = writer.plan([{ ...plain, ...layer }], context);
    const path = join(directory, 'out.geojson');
    const sink = writer.createSink(path, encodings, context);
    for (const batch of batches) {
      const chunk = writer.encode(batch, encodings[0]);
      findings.merge(chunk.findings);
      sink.append(0, structuredClone(chunk.data, { transfer: [...chunk.transfer] }));
    }
    assert.deepEqual(readdirSync(directory), ['out.geojson.partial']);
    const file = await sink.finish();
    assert.deepEqual(readdirSync(directory), ['out.geojson']);
    const text = readFileSync(path, 'utf8');
    assert.equal(file.byteLength, Buffer.byteLength(text));
    return { text, json: JSON.parse(text), findings: findings.list() };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function read(text: string): Promise<ReadInput> {
  return readBytesLayers(reader, text, { name: 'input.geojson' });
}

/** The batch read from GeoJSON text. */
async function batchOf(text: string): Promise<FeatureBatch> {
  const { layers } = await read(text);
  return layers[0].batches[0];
}

/** A geometry's kinds with the sorted set of its positions, XY or XYZ: rings may be rotated, M is dropped. */
function loose(geometry: string | null): string | null {
  if (geometry === null) return null;
  const kinds = geometry.replace(/\b(Z|M|ZM)\b/g, '').match(/[A-Z]{4,}/g) ?? [];
  const hasZ = /\bZM? /.test(geometry);
  const positions = (geometry.match(/[-\d][^,()]*/g) ?? []).map((position) => {
    const numbers = position.split(' ');
    return numbers.slice(0, hasZ && numbers[2] !== 'NaN' ? 3 : 2).join(' ');
  });
  return `${kinds.join(' ')}: ${positions.sort().join(',')}`;
}

function looseRows(rows: readonly Row[]): unknown[] {
  return rows.map(({ id, geometry, properties }) => ({ id, geometry: loose(geometry), properties }));
}

test('every value, type and position survives writing and reading', async () => {
  await fc.assert(
    fc.asyncProperty(batchArbitrary, async (batch) => {
      const { text } = await write([batch], { geojson_crs: 'requested' }, { crs: mga });
      const back = await batchOf(text);
      if (batch.rowCount > 0) assert.deepEqual(looseRows(batchRows(back)), looseRows(batchRows(batch)));
    }),
    { numRuns: 150 },
  );
});

test('types survive the round trip if the values determine them', async () => {
  const source = `{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":
    {"b":true,"i":1,"l":3000000000,"f":1.0,"s":"x","d":"2024-01-01","t":"2024-01-01T00:00:00Z","j":[1.50]},"geometry":null}]}`;
  const batch = await batchOf(source);
  const { text } = await write([batch]);
  assert.deepEqual((await batchOf(text)).fields, batch.fields);
  assert.equal(
    text,
    '{"type":"FeatureCollection","name":"roads","features":[\n{"type":"Feature","id":7,"properties":{"b":true,"i":1,"l":3000000000,"f":1.0,"s":"x","d":"2024-01-01","t":"2024-01-01T00:00:00Z","j":[1.50]},"geometry":null}\n]}\n',
  );
});

test('joins batches by commas; an output without features is an empty collection', async () => {
  const one = await batchOf('{"type":"Point","coordinates":[1,2]}');
  const none = await batchOf('{"type":"FeatureCollection","features":[]}');
  assert.equal((await write([none, one, none, one])).json.features.length, 2);
  assert.equal((await write([])).text, '{"type":"FeatureCollection","name":"roads","features":[\n]}\n');
});

test('writes rings by the right-hand rule for any input orientation', async () => {
  const clockwise = '[[0,0],[0,9],[9,9],[9,0],[0,0]]';
  const hole = '[[1,1],[2,1],[2,2],[1,2],[1,1]]';
  const batch = await batchOf(`{"type":"Polygon","coordinates":[${clockwise},${hole}]}`);
  const { json } = await write([batch]);
  const { coordinates } = json.features[0].geometry as { coordinates: number[][][] };
  const areas = coordinates.map((ring) => signedArea(Float64Array.from(ring.flat()), 2, 0, ring.length));
  assert.deepEqual(areas, [81, -1]);
});

test('writes a bounding box of all batches, with Z if there is one', async () => {
  const flat = await batchOf('{"type":"LineString","coordinates":[[1,2],[-3,8.5]]}');
  const high = await batchOf('{"type":"Point","coordinates":[0,1,5]}');
  assert.deepEqual((await write([flat, flat], { bbox: true })).json.bbox, [-3, 2, 1, 8.5]);
  assert.deepEqual((await write([flat, high], { bbox: true })).json.bbox, [-3, 1, 5, 1, 8.5, 5]);
  assert.equal((await write([], { bbox: true })).json.bbox, undefined);
  assert.equal((await write([flat])).json.bbox, undefined);
});

test('writes coordinates with the requested digits, 7 decimals if computed, all otherwise', async () => {
  const batch = await batchOf('{"type":"Point","coordinates":[13.404954000000002,-0.000012345678901234]}');
  const text = async (options: Record<string, unknown>, computed = false): Promise<string> =>
    /"coordinates":(.*?)\}/.exec((await write([batch], options, { coordinatesComputed: computed })).text)![1];
  assert.equal(await text({}), '[13.404954000000002,-0.000012345678901234]');
  assert.equal(await text({}, true), '[13.404954,-0.0000123]');
  for (const name of ['precision', 'significant_digits'])
    assert.equal(await text({ [name]: 7 }), '[13.40495,-0.00001234568]');
  assert.equal(await text({ decimals: 3 }), '[13.405,0]');
  await assert.rejects(
    text({ decimals: 3, precision: 9 }),
    /'output.decimals' and 'output.precision' exclude each other/,
  );
  assert.throws(() => validateOptions(geojson.writeOptions, { precision: 6 }, 'output'), {
    code: 'CONFIG_INVALID',
  });
});

test('names another CRS in a crs member and does not cut at the antimeridian', async () => {
  const batch = await batchOf('{"type":"LineString","coordinates":[[179,0],[-179,0]]}');
  const { json, findings } = await write([batch], { geojson_crs: 'requested' }, { crs: mga });
  assert.deepEqual(json.crs, { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::28350' } });
  assert.equal((json.features[0].geometry as { type: string }).type, 'LineString');
  assert.deepEqual(findings, []);
  const cut = await write([batch]);
  assert.equal(cut.json.crs, undefined);
  assert.equal((cut.json.features[0].geometry as { type: string }).type, 'MultiLineString');
  assert.deepEqual(
    cut.findings.map(({ code, count, places }) => [code, count, places]),
    [['ANTIMERIDIAN_CUT', 1, [{ record: 1 }]]],
  );
});

test('drops M, writes binary as base64 and numbers that are not finite as null, and notes each', async () => {
  const geometry = new GeometryBuilder('XYM');
  geometry.position(1, 2, Number.NaN, 3);
  geometry.endRing();
  geometry.endPart(PART_KIND.point);
  geometry.endFeature(GEOMETRY_TYPE.point);
  const binary = new ColumnBuilder('binary');
  binary.appendBytes(Uint8Array.of(255, 0, 1, 2), 0, 4);
  const real = new ColumnBuilder('float64');
  real.appendNumber(Number.NaN);
  const batch: FeatureBatch = {
    rowCount: 1,
    geometry: geometry.finish(),
    fields: [
      { name: 'b', type: 'binary' },
      { name: 'r', type: 'float64' },
    ],
    columns: [binary.finish(), real.finish()],
    ids: null,
  };
  const { json, findings } = await write([batch]);
  assert.deepEqual(json.features[0].properties, { b: '/wABAg==', r: null });
  assert.deepEqual((json.features[0].geometry as { coordinates: unknown }).coordinates, [1, 2]);
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [
      ['M_DROPPED', 1],
      ['FIELD_RETYPED', 1],
      ['NUMBER_NOT_FINITE', 1],
    ],
  );
});

test('throws an error that names the feature of a coordinate that is not finite', async () => {
  const batch = await batchOf('{"type":"Point","coordinates":[1,2]}');
  batch.geometry.coordinates[1] = Number.NEGATIVE_INFINITY;
  await assert.rejects(write([batch]), { code: 'COORDINATE_NOT_FINITE', location: { record: 1 } });
});

test('writes a batch that was cast to other fields with those', async () => {
  const batch = castBatch(await batchOf('{"type":"Feature","properties":{"a":1},"geometry":null}'), [
    { name: 'z', type: 'string' },
    { name: 'a', type: 'float64' },
  ]);
  const { text } = await write([batch], {}, { fields: batch.fields });
  assert.ok(text.includes('"properties":{"z":null,"a":1.0}'), text);
});

test('leaves no file after an abort', () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-geojson-'));
  try {
    const context = { name: 'out', options: {}, findings: new Findings() };
    const layer = { name: 'a', fields: null, statistics: null, crs: wgs84, coordinatesComputed: false };
    const sink = writer.createSink(join(directory, 'x.geojson'), writer.plan([layer], context), context);
    sink.abort();
    sink.abort();
    assert.deepEqual(readdirSync(directory), []);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
