import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';

type Settings = Partial<Pick<ConvertOptions, 'toCrs' | 'writeOptions'>>;

/** The document under test, as far as the tests look at it. */
interface Document {
  readonly objectIdFieldName?: string;
  readonly hasZ?: boolean;
  readonly spatialReference: object;
  readonly features: readonly { attributes: Record<string, unknown>; geometry?: object }[];
  readonly layers: readonly {
    readonly layerDefinition: { readonly name: string };
    readonly featureSet: Pick<Document, 'features'>;
  }[];
}

async function written(
  features: readonly object[],
  settings: Settings = {},
): Promise<{ json: Document; codes: string[] }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  const whole = features.map((feature) => ({ type: 'Feature', properties: {}, geometry: null, ...feature }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: whole }));
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'esrijson',
    ...settings,
  });
  const codes = report.warnings.map(({ code }) => code);
  return { json: JSON.parse(readFileSync(outputPath, 'utf8')) as Document, codes };
}

const point = (...coordinates: number[]): object => ({ geometry: { type: 'Point', coordinates } });

test('times are milliseconds in UTC, and what that changes is reported', async () => {
  const texts = [
    '2024-02-29T12:00:00.123Z',
    '2024-02-29T12:00:00+02:00',
    '1969-12-31T23:59:59.9999Z',
    '0050-01-01T00:00:00Z',
  ];
  const { json, codes } = await written(texts.map((t) => ({ properties: { t } })));
  assert.deepEqual(
    json.features.map(({ attributes }) => attributes.t),
    [1_709_208_000_123, 1_709_200_800_000, -1, Date.parse('0050-01-01T00:00:00Z')],
  );
  assert.ok(codes.includes('DATETIME_TO_UTC') && codes.includes('NUMBER_ROUNDED'), String(codes));
});

test('integer ids of features and fields with the name of an object id are object ids, others are added', async () => {
  const byId = await written([{ id: 7 }, { id: 9 }]);
  assert.equal(byId.json.objectIdFieldName, 'id');
  assert.deepEqual(byId.json.features[1].attributes, { id: 9 });
  const named = await written([{ properties: { FID: 3 } }, { properties: { FID: 2 } }]);
  assert.equal(named.json.objectIdFieldName, 'FID');
  assert.ok(named.codes.includes('ESRIJSON_IDS_UNORDERED'), String(named.codes));
  const gap = await written([{ properties: { objectid: 3 } }, {}]);
  assert.equal(gap.json.objectIdFieldName, 'OBJECTID_1');
  assert.deepEqual(gap.json.features[1].attributes, { OBJECTID_1: 2, objectid: null });
  const kept = await written([{ properties: { a: 3 } }], { writeOptions: { object_ids: 'keep' } });
  assert.equal('objectIdFieldName' in kept.json, false);
  assert.deepEqual(kept.json.features[0].attributes, { a: 3 });
});

test('a layer with several kinds of geometry becomes a layer for each', async () => {
  const line = { type: 'LineString', coordinates: [[0, 0], [1, 1]] }; // biome-ignore format: short
  const both = { type: 'GeometryCollection', geometries: [line, { type: 'Point', coordinates: [5, 6] }] };
  const { json, codes } = await written([point(1, 2), { geometry: line }, {}, { geometry: both }]);
  const [points, lines] = json.layers;
  assert.deepEqual([points.layerDefinition.name, lines.layerDefinition.name], ['in_points', 'in_lines']);
  const [first, second, third] = points.featureSet.features;
  assert.deepEqual([first.geometry, 'geometry' in second], [{ points: [[1, 2]] }, false]);
  assert.deepEqual(third.geometry, { points: [[5, 6]] });
  assert.equal(lines.featureSet.features.length, 2);
  assert.ok(codes.includes('COLLECTION_SPLIT') && codes.includes('ESRIJSON_SETS_SPLIT'), String(codes));
});

test('ordinates that a feature lacks are left out, and null where only some positions lack them', async () => {
  const { json } = await written([point(1, 2), point(1, 2, 3)]);
  assert.deepEqual(
    [json.hasZ, json.features[0].geometry, json.features[1].geometry],
    [true, { x: 1, y: 2 }, { x: 1, y: 2, z: 3 }],
  );
  const coordinates = [[0, 0, 1], [1, 1]]; // biome-ignore format: short
  const lines = await written([{ geometry: { type: 'LineString', coordinates } }]);
  assert.deepEqual(lines.json.features[0].geometry, { hasZ: true, paths: [[[0, 0, 1], [1, 1, null]]] }); // biome-ignore format: short
});

test('a file without features or geometries is a table that is read back', async () => {
  for (const features of [[], [{ properties: { a: 1 } }]]) {
    const { json } = await written(features);
    assert.equal('geometryType' in json, false);
    assert.equal(json.features.length, features.length);
  }
});

test('a CRS has its code, that of Esri for Web Mercator, or WKT', async () => {
  const referenceIn = async (toCrs: string): Promise<object> =>
    (await written([point(9, 51)], { toCrs })).json.spatialReference;
  assert.deepEqual(await referenceIn('EPSG:3857'), { wkid: 102100, latestWkid: 3857 });
  assert.deepEqual(await referenceIn('EPSG:25832'), { wkid: 25832, latestWkid: 25832 });
  assert.deepEqual(await referenceIn('ESRI:54030'), { wkid: 54030, latestWkid: 54030 });
  const custom = '+proj=tmerc +lat_0=0 +lon_0=9.5 +k=1 +x_0=500000 +ellps=bessel +units=m +type=crs';
  assert.match(((await referenceIn(custom)) as { wkt: string }).wkt, /^PROJCS\[/);
});
