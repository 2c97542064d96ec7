/** Geometries of JSON-FG that GeoJSON does not have: curves as straight steps, solids as polygons, measures as M. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/geojson/read.ts';

const CONFORMS = '"conformsTo":["http://www.opengis.net/spec/json-fg-1/1.0/conf/core"]';
const CRS = '"coordRefSys":"[EPSG:25832]"';
const ARC = '{"type":"CircularString","coordinates":[[0,0],[1,1],[2,0]]}';
const LINE = '{"type":"LineString","coordinates":[[2,0],[5,0]]}';
const CIRCLE = '{"type":"CircularString","coordinates":[[0,0],[1,1],[2,0],[1,-1],[0,0]]}';
const SQUARE = '[[0,0],[4,0],[4,4],[0,4],[0,0]]';

interface Read {
  readonly geometry: string;
  readonly codes: readonly string[];
}

async function read(place: string, members = ''): Promise<Read> {
  const text = `{"type":"FeatureCollection",${CONFORMS},${CRS}${members},"features":[{"type":"Feature","geometry":null,"place":${place},"properties":{}}]}`;
  const { layers, findings } = await readBytesLayers(reader, text, { name: 'input.json' });
  assert.equal(layers.length, 1);
  const geometry = layers[0].rows[0].geometry?.replaceAll(',', ', ') ?? 'none';
  return { geometry, codes: findings.map(({ code }) => code).sort() };
}

/** Number of positions in a WKT. */
const positions = (wkt: string): number => wkt.split(',').length;

test('curves become lines of straight steps, which is reported', async () => {
  const arc = await read(ARC);
  assert.match(arc.geometry, /^LINESTRING \(0 0, .*, 2 0\)$/);
  assert.equal(positions(arc.geometry), 46);
  assert.deepEqual(arc.codes, ['CURVES_STROKED']);
  const compound = await read(`{"type":"CompoundCurve","geometries":[${ARC},${LINE}]}`);
  assert.match(compound.geometry, /^LINESTRING \(0 0, .*, 2 0, 5 0\)$/);
  assert.equal(positions(compound.geometry), 47);
});

test('surfaces with curved rings become polygons', async () => {
  const polygon = await read(`{"type":"CurvePolygon","geometries":[${CIRCLE}]}`);
  assert.match(polygon.geometry, /^POLYGON \(\(0 0, .*, 0 0\)\)$/);
  assert.deepEqual(polygon.codes, ['CURVES_STROKED']);
  const surface = await read(
    `{"type":"MultiSurface","geometries":[{"type":"CurvePolygon","geometries":[${CIRCLE}]},{"type":"Polygon","coordinates":[${SQUARE}]}]}`,
  );
  assert.match(surface.geometry, /^MULTIPOLYGON \(\(\(0 0, .*\)\), \(\(0 0, 4 0, 4 4, 0 4, 0 0\)\)\)$/);
});

test('several curves become several lines', async () => {
  const { geometry } = await read(
    `{"type":"MultiCurve","geometries":[${LINE},${ARC},{"type":"CompoundCurve","geometries":[${LINE}]}]}`,
  );
  assert.match(geometry, /^MULTILINESTRING \(\(2 0, 5 0\), \(0 0, .*, 2 0\), \(2 0, 5 0\)\)$/);
});

test('a straight curve is no loss', async () => {
  const straight = '{"type":"CircularString","coordinates":[[0,0],[1,0],[2,0]]}';
  assert.deepEqual(await read(straight), { geometry: 'LINESTRING (0 0, 1 0, 2 0)', codes: [] });
});

test('members of a compound curve that do not touch are joined, which is reported', async () => {
  const gap = '{"type":"LineString","coordinates":[[3,0],[5,0]]}';
  const { codes } = await read(`{"type":"CompoundCurve","geometries":[${ARC},${gap}]}`);
  assert.deepEqual(codes, ['CURVES_STROKED', 'CURVE_GAP_BRIDGED']);
});

const FACES = '[[[0,0,0],[1,0,0],[0,1,0],[0,0,0]]],[[[0,0,0],[1,0,0],[0,0,1],[0,0,0]]]';
test('solids become the polygons around them, with those of voids', async () => {
  const one = await read(`{"type":"Polyhedron","coordinates":[[${FACES}]]}`);
  assert.equal(
    one.geometry,
    'MULTIPOLYGON Z (((0 0 0, 1 0 0, 0 1 0, 0 0 0)), ((0 0 0, 1 0 0, 0 0 1, 0 0 0)))',
  );
  assert.deepEqual(one.codes, ['SURFACE_TO_POLYGONS']);
  const polygons = (wkt: string): number => wkt.split('((').length - 1;
  assert.equal(
    polygons((await read(`{"type":"Polyhedron","coordinates":[[${FACES}],[${FACES}]]}`)).geometry),
    4,
  );
  const two = await read(`{"type":"MultiPolyhedron","coordinates":[[[${FACES}]],[[${FACES}]]]}`);
  assert.equal(polygons(two.geometry), 4);
});

const prisms: Readonly<Record<string, readonly [base: string, wkt: string | RegExp]>> = {
  'a point': ['{"type":"Point","coordinates":[1,2]}', 'LINESTRING Z (1 2 3, 1 2 7)'],
  'several points': [
    '{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}',
    'MULTILINESTRING Z ((1 2 3, 1 2 7), (3 4 3, 3 4 7))',
  ],
  'a line': [
    '{"type":"LineString","coordinates":[[0,0],[1,0]]}',
    'MULTIPOLYGON Z (((0 0 3, 1 0 3, 1 0 7, 0 0 7, 0 0 3)))',
  ],
  'a polygon': [
    '{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]}',
    /^MULTIPOLYGON Z \(\(\(0 0 3, 1 0 3, 0 1 3, 0 0 3\)\), .*, \(\(0 0 7, 1 0 7, 0 1 7, 0 0 7\)\)\)$/,
  ],
  'a curve': [ARC, /^MULTIPOLYGON Z/],
};
for (const [name, [base, expected]] of Object.entries(prisms))
  test(`a prism is extruded from ${name}`, async () => {
    const { geometry } = await read(`{"type":"Prism","base":${base},"lower":3,"upper":7}`);
    if (typeof expected === 'string') assert.equal(geometry, expected);
    else assert.match(geometry, expected);
  });

test('a prism begins at 0 unless it says where, and its holes have walls', async () => {
  const base = `{"type":"Polygon","coordinates":[${SQUARE},[[1,1],[1,2],[2,1],[1,1]]]}`;
  const { geometry } = await read(`{"type":"Prism","base":${base},"upper":7}`);
  // Two faces and a wall for each of the 4 and 3 edges.
  assert.equal(geometry.split('((').length - 1, 9);
  assert.match(geometry, /^MULTIPOLYGON Z \(\(\(0 0 0,/);
});

test('several prisms are one geometry', async () => {
  const prism = (base: string): string => `{"type":"Prism","base":${base},"upper":7}`;
  const pole = prism('{"type":"Point","coordinates":[1,2]}');
  const wall = prism(LINE);
  const many = async (...members: readonly string[]): Promise<string> =>
    (await read(`{"type":"MultiPrism","prisms":[${members.join(',')}]}`)).geometry;
  assert.match(await many(pole, pole), /^MULTILINESTRING Z/);
  assert.match(await many(wall, wall), /^MULTIPOLYGON Z/);
  assert.match(await many(pole, wall), /^GEOMETRYCOLLECTION Z \(LINESTRING Z .*, POLYGON Z/);
});

test('a collection has members of any type', async () => {
  const { geometry } = await read(
    `{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[1,2],[3,4]]},{"type":"Polygon","coordinates":[]},{"type":"MultiLineString","coordinates":[[[1,2],[3,4]]]}]}`,
    ',"measures":{"enabled":true}',
  );
  assert.equal(
    geometry,
    'GEOMETRYCOLLECTION (MULTIPOINT ((1 2), (3 4)), POLYGON EMPTY, MULTILINESTRING ((1 2, 3 4)))',
  );
});

test('measures are M after x and y, or after x, y and z', async () => {
  const measured = ',"measures":{"enabled":true,"unit":"km"}';
  const line = (last: string): string => `{"type":"LineString","coordinates":[[0,0,${last}],[1,0,${last}]]}`;
  assert.equal((await read(line('5'), measured)).geometry, 'LINESTRING M (0 0 5, 1 0 5)');
  assert.equal((await read(line('5,6'), measured)).geometry, 'LINESTRING ZM (0 0 5 6, 1 0 5 6)');
  assert.equal((await read(line('5'))).geometry, 'LINESTRING Z (0 0 5, 1 0 5)');
  const four = await read(line('5,6'));
  assert.deepEqual(four, { geometry: 'LINESTRING Z (0 0 5, 1 0 5)', codes: ['EXTRA_ORDINATES'] });
  const own = line('5').replace('{', '{"measures":{"enabled":true},');
  assert.equal((await read(own)).geometry, 'LINESTRING M (0 0 5, 1 0 5)');
});

test('features with and without measures can be in one layer', async () => {
  const place = (more: string, last: string): string =>
    `{"type":"Feature","geometry":null,"place":{"type":"Point"${more},"coordinates":[1,2,${last}]},"properties":{}}`;
  const text = `{"type":"FeatureCollection",${CONFORMS},${CRS},"features":[${place('', '3')},${place(',"measures":{"enabled":true}', '4')},${place('', '5')}]}`;
  const { layers } = await readBytesLayers(reader, text, { name: 'input.json' });
  assert.deepEqual(
    layers[0].rows.map(({ geometry }) => geometry),
    ['POINT Z (1 2 3)', 'POINT M (1 2 4)', 'POINT Z (1 2 5)'],
  );
});

const broken: Readonly<Record<string, readonly [place: string, reason: RegExp]>> = {
  'an arc of two positions': ['{"type":"CircularString","coordinates":[[0,0],[1,1]]}', /3, 5, 7/],
  'a curve polygon of a point': [
    '{"type":"CurvePolygon","geometries":[{"type":"Point","coordinates":[1,2]}]}',
    /a member of a CurvePolygon is a Point/,
  ],
  'a member of an unknown type': [
    '{"type":"MultiCurve","geometries":[{"type":"Spiral"}]}',
    /'Spiral' is not/,
  ],
  'a member of an inherited name': ['{"type":"MultiCurve","geometries":[{"type":"constructor"}]}', /is not/],
  'a prism without an upper limit': [
    '{"type":"Prism","base":{"type":"Point","coordinates":[1,2]}}',
    /'upper'/,
  ],
  'a prism without a base': ['{"type":"Prism","upper":1}', /must be an object/],
  'a prism on a prism': [
    '{"type":"Prism","upper":1,"base":{"type":"Prism","upper":1,"base":{"type":"Point","coordinates":[1,2]}}}',
    /cannot be a Prism/,
  ],
  'a polyhedron without coordinates': ['{"type":"Polyhedron"}', /must be an array/],
  'a position that is text': ['{"type":"CircularString","coordinates":[["a",0],[1,1],[2,0]]}', /numbers/],
  'a position of one number': ['{"type":"CircularString","coordinates":[[1],[1,1],[2,0]]}', /two numbers/],
  'a number too large': [
    '{"type":"CircularString","coordinates":[[1e999,0],[1,1],[2,0]]}',
    /larger than any/,
  ],
  'a curve of a number': ['{"type":"CompoundCurve","geometries":[7]}', /must be an object/],
};
for (const [name, [place, reason]] of Object.entries(broken))
  test(`an error names the byte of ${name}`, async () => {
    await assert.rejects(read(place), { code: 'GEOJSON_STRUCTURE', message: reason });
  });

test('limits the positions of a feature', async () => {
  const coordinates = Array.from({ length: 41 }, (_, i) => `[${i},0]`).join(',');
  const text = `{${CONFORMS},${CRS},"type":"CircularString","coordinates":[${coordinates}]}`;
  const limits = { ...(await import('../../../test/support/limits.ts')).DEFAULT_INPUT_LIMITS };
  await assert.rejects(
    readBytesLayers(reader, text, { name: 'a.json', limits: { ...limits, coordinatesPerFeature: 40 } }),
    { code: 'LIMIT_EXCEEDED' },
  );
});
