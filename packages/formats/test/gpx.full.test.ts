import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gdalFacts, withoutGdal } from '../../../test/oracle/gdal-facts.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import {
  assertValid,
  excerptOf,
  ODD_TEXTS,
  ODD_TIMES,
  ODD_URIS,
  schemaOf,
  withoutSchemas,
  withoutXmllint,
} from '../../../test/support/xml-schema.ts';
import { hasPlainDigits, withoutExponent } from '../src/gpx/plain-decimal.ts';
import { reader } from '../src/gpx/read.ts';
import { dateTimeOf } from '../src/gpx/write-elements.ts';

const encoder = new TextEncoder();
const FIXTURES = join(import.meta.dirname, '../../../test/fixtures');
const gpx = (content: string): Uint8Array =>
  encoder.encode(`<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">\n${content}\n</gpx>`);
const read = (bytes: Uint8Array) => readBytesLayers(reader, bytes, { name: 'x.gpx' });

interface Feature {
  readonly type: 'Feature';
  readonly properties: Record<string, unknown>;
  readonly geometry: object | null;
}

const feature = (geometry: object | null, properties: Record<string, unknown> = {}): Feature => ({
  type: 'Feature',
  properties,
  geometry,
});
const point = (...coordinates: number[]): object => ({ type: 'Point', coordinates });
const line = (...coordinates: number[][]): object => ({ type: 'LineString', coordinates });

async function written(
  features: readonly Feature[],
  writeOptions: Record<string, unknown> = {},
): Promise<{ readonly text: string; readonly codes: string[] }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'gpx',
    writeOptions,
  });
  const codes = report.warnings.map(({ code, count }) => `${code} ${count}`).sort();
  return {
    text: readFileSync(outputPath, 'utf8'),
    codes: codes.filter((code) => !code.startsWith('GPX_LAYERS_MIXED')),
  };
}

test('broken GPX is an error with line and column', async () => {
  const cases: readonly (readonly [content: string, where: RegExp, reason: RegExp])[] = [
    ['<wpt lat="1" lon="x"/>', /line 2, column 19/, /'x' is no number of degrees/],
    ['<wpt lat="5,5" lon="1"/>', /line 2, column 11/, /'5,5' is no number of degrees/],
    ['<wpt lat="1e999" lon="1"/>', /line 2/, /'1e999' is no number/],
    ['<trk><trkseg></trk>', /line 2, column 14/, /<\/trk> ends an element here, but <trkseg> is open/],
    ['<trk><trkseg><trkpt lat="1" lon="1">', /line 3/, /<\/gpx> ends an element here, but <trkpt> is open/],
    ['<wpt lat="1" lon="1"><name>&nbsp;</name></wpt>', /line 2/, /&nbsp; is unknown/],
    ['</gpx><wpt lat="1" lon="1"/>', /line 2, column 7/, /after the end of the root/],
  ];
  for (const [content, where, reason] of cases)
    await assert.rejects(
      read(gpx(content)),
      ({ message }: Error) => where.test(message) && reason.test(message),
      content,
    );
  await assert.rejects(read(encoder.encode('<gpx>')), /the file ends/);
  await assert.rejects(read(encoder.encode('<kml/>')), /is not GPX: it looks like KML/);
  const entities = '<!DOCTYPE gpx [<!ENTITY a "b">]><gpx/>';
  await assert.rejects(read(encoder.encode(entities)), /the file has a DOCTYPE/);
});

test('elements of the same name on another level are not read as points', async () => {
  const { layers } = await read(
    gpx(
      '<trk><extensions><trkpt lat="1" lon="1"/></extensions><trkpt lat="1" lon="1"/><trkseg><trkpt lat="2" lon="2"><extensions><trkpt lat="3" lon="3"/></extensions></trkpt></trkseg></trk><trkpt lat="4" lon="4"/>',
    ),
  );
  assert.deepEqual(
    layers.map(({ source, rows }) => [source.name, rows.length]),
    [
      ['tracks', 1],
      ['track_points', 1],
    ],
  );
});

test('points of tracks keep their numbers and values, however the file is divided', async () => {
  const points = Array.from(
    { length: 3000 },
    (_, i) =>
      `<trkpt lat="${i / 100}" lon="1"><ele>${i}</ele><!-- ${'x'.repeat(i % 300)} --></trkpt>\n<!-- c -->`,
  );
  const segments = [points.slice(0, 2), points.slice(2, 2500), [], points.slice(2500)];
  const text = segments.map((list) => `<trkseg>${list.join('')}</trkseg>`).join('');
  const bytes = gpx(
    `<trk><name>a</name>${text}</trk><wpt lat="0" lon="0"/><trk><trkseg>${points[7]}</trkseg></trk>`,
  );
  for (const partitionBytes of [1 << 12, 1 << 30]) {
    const { layers } = await readBytesLayers(reader, bytes, { name: 'x.gpx', partitionBytes });
    const rows = layers.find(({ source }) => source.name === 'track_points')?.rows ?? [];
    assert.equal(rows.length, 3001);
    const ids = rows.map(({ properties: p }) => [p.track_fid, p.track_seg_id, p.track_seg_point_id, p.ele]);
    assert.deepEqual(ids[0], [0, 0, 0, 0]);
    assert.deepEqual(ids[2], [0, 1, 0, 2]);
    assert.deepEqual(ids[2499], [0, 1, 2497, 2499]);
    assert.deepEqual(ids[2500], [0, 3, 0, 2500]);
    assert.deepEqual(ids[3000], [1, 0, 0, 7]);
    assert.equal(layers.find(({ source }) => source.name === 'tracks')?.rows.length, 2);
  }
});

test('points: false leaves out the layers of points, standard_fields: all adds fields without values', async () => {
  const bytes = gpx('<trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk>');
  const options = { points: false, standard_fields: 'all' };
  const { layers } = await readBytesLayers(reader, bytes, { name: 'x.gpx', options });
  assert.deepEqual(
    layers.map(({ source }) => source.name),
    ['tracks'],
  );
  const fields = layers[0].fields.map(({ name, type }) => `${name} ${type}`);
  assert.ok(fields.includes('number int32') && fields.includes('link2_href string'), fields.join(', '));
});

test('times are written as xsd:dateTime', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['2020-02-29', '2020-02-29T00:00:00Z'],
    ['2020-02-29T12:30', '2020-02-29T12:30:00'],
    ['2020-02-29 12:30:15.25 +0130', '2020-02-29T12:30:15.25+01:30'],
    ['2020-02-29T12:30:15+02', '2020-02-29T12:30:15+02:00'],
    ['2020-02-29T12:30:15z', '2020-02-29T12:30:15Z'],
    ['2020-02-29T25:30:15Z', null],
    ['2020-13-01', null],
    ['soon', null],
    ['', null],
  ];
  for (const [text, expected] of cases) assert.equal(dateTimeOf(text), expected, text);
});

test('numbers are written without exponents', () => {
  const cases = [
    ['1e-7', '0.0000001'],
    ['-1.25e-7', '-0.000000125'],
    ['1.5e+21', '1500000000000000000000'],
    ['1.234567e+3', '1234.567'],
    ['12', '12'],
  ];
  for (const [text, expected] of cases) {
    assert.equal(withoutExponent(text), expected);
    assert.equal(Number(expected), Number(text));
  }
});

test('decimals that validators take have at most 24 digits', () => {
  for (const value of [2 ** -52, 1e-30, 5e-324, 1e24, -1e300])
    assert.equal(hasPlainDigits(value), false, String(value));
  for (const value of [0, -0, 1.25e-22, 1e-24, 9.5e23, 0.1])
    assert.equal(hasPlainDigits(value), true, String(value));
});

test('fields become elements in the order of the schema, and extensions where the elements cannot hold them', async () => {
  const { text, codes } = await written([
    feature(point(2, 1, 3), {
      fix: '4d',
      sat: -1,
      sym: 'Flag',
      Name: 'a<b',
      ele: 3,
      time: '2020-01-01',
      'a b': 1,
    }),
    feature(point(2, 1), { fix: '3d', sat: 4, ele: 7.5, dgpsid: 2000, link1_href: 'a&b', link1_text: 't' }),
    feature(null, { Name: 'nowhere' }),
  ]);
  assert.deepEqual(codes, [
    'FIELD_RENAMED 1',
    'FIELD_RENAMED 1',
    'GEOMETRY_NOT_DRAWN 1',
    'GPX_VALUES_AS_EXTENSIONS 1',
    'GPX_VALUES_AS_EXTENSIONS 1',
    'GPX_VALUES_AS_EXTENSIONS 1',
  ]);
  const [first, second] = text.split('\n').filter((row) => row.startsWith('<wpt'));
  assert.equal(
    first,
    '<wpt lat="1" lon="2"><ele>3</ele><time>2020-01-01T00:00:00Z</time><name>a&lt;b</name><sym>Flag</sym><extensions><ogr:fix>4d</ogr:fix><ogr:sat>-1</ogr:sat><ogr:a_b name="a b">1</ogr:a_b></extensions></wpt>',
  );
  assert.equal(
    second,
    '<wpt lat="1" lon="2"><ele>7.5</ele><link href="a&amp;b"><text>t</text></link><fix>3d</fix><sat>4</sat><extensions><ogr:dgpsid>2000</ogr:dgpsid></extensions></wpt>',
  );
});

test('lines become tracks or routes, with the times of their positions', async () => {
  const features = [
    feature(line([0, 1, 5], [2, 3]), { times: ['2020-01-01T00:00:00Z', null] }),
    feature(line([0, 1], [180, 3]), { times: ['2020-01-01T00:00:00Z'] }),
    feature({
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    }),
  ];
  const tracks = await written(features);
  assert.match(
    tracks.text,
    /<trkpt lat="1" lon="0"><ele>5<\/ele><time>2020-01-01T00:00:00Z<\/time><\/trkpt>\n<trkpt lat="3" lon="2"\/>/,
  );
  assert.match(tracks.text, /<ogr:times>\["2020-01-01T00:00:00Z"\]<\/ogr:times>/);
  assert.match(tracks.text, /lon="179.9999999"/);
  assert.deepEqual(tracks.codes, ['GPX_POLYGON_AS_TRACK 1', 'GPX_TIMES_UNUSED 1']);
  const routes = await written(features, { lines: 'routes' });
  assert.equal(routes.text.split('<rte>').length, 3);
  assert.equal(routes.text.split('<trk>').length, 2);
  assert.ok(routes.text.indexOf('</rte>') < routes.text.indexOf('<trk>'));
});

test('GPX to GPX keeps the times of tracks, and writes no point twice', async () => {
  using workspace = makeWorkspace();
  const { outputPath, report } = await convertFile(join(FIXTURES, 'gpx', 'layers.gpx'), workspace.path, {
    from: 'gpx',
    to: 'gpx',
  });
  const text = readFileSync(outputPath, 'utf8');
  assert.equal(text.split('<wpt').length, 4);
  assert.equal(text.split('<trkpt').length, 7);
  assert.match(text, /<trkpt lat="1.5" lon="2.5"><time>2021-01-01T00:00:01Z<\/time>/);
  const codes = report.warnings
    .filter(({ code }) => code === 'GPX_POINTS_IN_LINES')
    .map(({ count }) => count);
  assert.deepEqual(codes, [2, 6]);
});

/** Paths of outputs with all that the writer can write. */
async function makeOutputs(directory: string): Promise<string[]> {
  const path = join(directory, 'in.geojson');
  const odd = Object.fromEntries(
    ['é', '²', '1a', '__proto__', 'a:b', '-', '', 'x y', '😀', '<'].map((name, i) => [name, i]),
  );
  const features = [
    feature(point(180, 90, 1e-9), {
      ...odd,
      magvar: 400,
      hdop: 1e-12,
      time: '2020-01-01 00:00',
      url: 'http://a b',
    }),
    feature(point(-1e-7, 1e-7, -1e22), { desc: '\u0001', magvar: 1.5, number: 2, geoidheight: 1e15 }),
    feature(line([170, 1], [190, 2]), { number: 2, type: 'x', cmt: '\r\n', sat: 1.5, ageofdgpsdata: 1e-7 }),
    feature({ type: 'GeometryCollection', geometries: [point(1, 2), point(3, 4), line([0, 0], [1, 1])] }),
  ];
  const many = [...ODD_TIMES.keys()].map((i) =>
    feature(i % 2 === 0 ? point(1e-9, -1e-20, 1e23) : line([1e-20, 2], [3, 4]), {
      time: ODD_TIMES[i],
      url: ODD_URIS[i % ODD_URIS.length],
      link1_href: ODD_URIS[(i + 9) % ODD_URIS.length],
      link1_text: ODD_TEXTS[i % ODD_TEXTS.length],
      desc: ODD_TEXTS[i % ODD_TEXTS.length],
      times: [ODD_TIMES[i], '2020-01-01'],
      hdop: [1e300, 5e-324, 1e24, 1e23, -0][i % 5],
      magvar: [5e-324, 360, -0][i % 3],
      sat: [1e300, 1e22, 2.5][i % 3],
    }),
  );
  features.push(...many);
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const inputs = [
    ['geojson', path],
    ...['layers', 'old', 'empty'].map((name) => ['gpx', join(FIXTURES, 'gpx', `${name}.gpx`)]),
    ['geojson', join(FIXTURES, 'geojson', 'geometries.geojson')],
    ['kml', join(FIXTURES, 'kml', 'attributes.kml')],
  ];
  const outputs: string[] = [];
  for (const [i, [from, input]] of inputs.entries())
    for (const lines of ['auto', 'routes']) {
      const options = { from, to: 'gpx', outputName: `valid-${i}-${lines}`, writeOptions: { lines } };
      outputs.push((await convertFile(input, directory, options)).outputPath);
    }
  return outputs;
}

test('outputs are valid by an excerpt of the schema', { skip: withoutXmllint }, async () => {
  using workspace = makeWorkspace();
  assertValid(excerptOf('gpx'), await makeOutputs(workspace.path));
});

test('outputs are valid by the schema of Topografix', { skip: withoutSchemas }, async () => {
  using workspace = makeWorkspace();
  assertValid(schemaOf('gpx'), await makeOutputs(workspace.path));
});

test('GDAL reads what we write', { skip: withoutGdal }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  const features = [
    feature(point(2, 1, 3), { name: 'a<&>', time: '2020-01-01T00:00:00Z', 'a b': 'x', n: 5 }),
    feature(line([0, 1, 5], [2, 3, 6]), { name: 'line', n: 6 }),
  ];
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'gpx' });
  const { layers, warnings } = await gdalFacts(outputPath);
  assert.deepEqual(warnings, []);
  const cell = (layer: string, name: string): unknown => {
    const { fields, rows } = layers.find((one) => one.name === layer) ?? { fields: [], rows: [] };
    return rows[0].values[fields.findIndex((field) => field.name === name)];
  };
  assert.deepEqual(
    ['name', 'ele', 'ogr_a_b', 'ogr_n'].map((name) => String(cell('waypoints', name))),
    ['a<&>', '3', 'x', '5'],
  );
  assert.match(String(cell('waypoints', 'time')), /^2020\/01\/01 00:00:00/);
  assert.deepEqual([cell('tracks', 'name'), String(cell('track_points', 'ele'))], ['line', '5']);
});
