import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { catalogue } from '../../../apps/service/src/catalogue.ts';
import { gdalFacts, withoutGdal } from '../../../test/oracle/gdal-facts.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { assertLittleGrowth } from '../../../test/support/growth.ts';
import { readBytesLayers, readFileLayers } from '../../../test/support/read-layers.ts';
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
import { storedZip } from '../../../test/support/zip-members.ts';
import { ByteWriter } from '../../core/src/bytes/byte-writer.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { XmlFault } from '../../core/src/text/xml-fault.ts';
import { XmlScanner } from '../../core/src/text/xml-scanner.ts';
import { reader } from '../src/kml/read.ts';

const encoder = new TextEncoder();
const kml = (content: string): Uint8Array =>
  encoder.encode(`<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n${content}\n</Document></kml>`);
const read = (bytes: Uint8Array) => readBytesLayers(reader, bytes, { name: 'x.kml' });

function scannerOf(text: string): XmlScanner {
  const bytes = encoder.encode(`${text}${'<'.repeat(16)}`);
  const scanner = new XmlScanner();
  scanner.bytes = bytes;
  scanner.limit = bytes.length - 16;
  return scanner;
}

function textOf(xml: string): string {
  const scanner = scannerOf(xml);
  const out = new ByteWriter(16);
  const end = scanner.text(scanner.tag(0), out);
  assert.equal(end, scanner.limit);
  return new TextDecoder().decode(out.written());
}

test('the text of an element is what XML says', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['<a/>', ''],
    ['<a></a>', ''],
    ['<a x="1" y=\'>"\'>b</a >', 'b'],
    ['<a>&amp;&lt;&gt;&quot;&apos;&#160;&#x1F600;</a>', '&<>"\'\u00a0😀'],
    ['<a>x<!-- <a> -->y<?pi <a>?>z</a>', 'xyz'],
    ['<a><![CDATA[<b>&amp;]]]]></a>', '<b>&amp;]]'],
    ['<a>1\r\n2\r3&#13;</a>', '1\n2\n3\r'],
    ['<a> blanks </a>', ' blanks '],
    ['<a>\n  indented\n</a>', 'indented'],
    ['<a>\n  <![CDATA[\nkept\n]]>\n</a>', '\nkept\n'],
    ['<a>x&#10;</a>', 'x\n'],
    ['<a>an <b c="d">element</b></a>', 'an <b c="d">element</b>'],
  ];
  for (const [xml, text] of cases) assert.equal(textOf(xml), text, xml);
});

test('a scan that meets the end of the window anywhere asks for more, and never fails otherwise', () => {
  const xml = '<p:a x="1&amp;2"><!-- c --><b>t &#xA0;<![CDATA[d]]></b\n><?pi?><c/></p:a>';
  for (let length = 0; length < xml.length; length++) {
    const scanner = scannerOf(xml.slice(0, length));
    const out = new ByteWriter(16);
    assert.throws(
      () => scanner.text(scanner.tag(0), out),
      (fault) => fault instanceof XmlFault && fault.at >= scanner.limit,
      xml.slice(0, length),
    );
  }
});

test('broken XML is an error with line and column', async () => {
  const cases: readonly (readonly [content: string, where: string, reason: RegExp])[] = [
    ['<Placemark></Folder>', 'line 2, column 12', /<\/Folder> ends an element here, but <Placemark> is open/],
    ['<Placemark>\n<name>&nbsp;</name></Placemark>', 'line 3, column 7', /&nbsp; is unknown/],
    ['<Placemark><name>a & b</name></Placemark>', 'line 2, column 20', /& begins no reference/],
    ['<Placemark><name x=1/></Placemark>', 'line 2, column 20', /a value in quotes/],
    ['<Placemark><name>a < b</name></Placemark>', 'line 2, column 20', /no tag here/],
    [
      '<Placemark><Point><coordinates>1;2</coordinates></Point></Placemark>',
      'line 2',
      /'1;2' is not a position/,
    ],
    ['<Placemark><Point><coordinates>1,2,3,4</coordinates></Point></Placemark>', 'line 2', /not a position/],
    ['<Placemark><Point><coordinates>1,1e999</coordinates></Point></Placemark>', 'line 2', /larger than any/],
    [
      '<Placemark><Polygon><innerBoundaryIs/></Polygon></Placemark>',
      'line 2, column 21',
      /begins with its outerBoundaryIs/,
    ],
    ['<Placemark>', 'column 1', /ends an element here|ends inside/],
  ];
  for (const [content, where, reason] of cases)
    await assert.rejects(read(kml(content)), (error) => {
      assert.ok(error instanceof GeomillError && error.code === 'XML_SYNTAX', String(error));
      assert.match(error.message, reason);
      assert.ok(error.message.includes(where), error.message);
      return true;
    });
});

test('document types, deep nesting and endless names are refused', async () => {
  const bomb = '<!DOCTYPE kml [<!ENTITY a "b">]><kml><Placemark><name>&a;</name></Placemark></kml>';
  await assert.rejects(read(encoder.encode(bomb)), /has a DOCTYPE, which is not read for safety: remove it/);
  await assert.rejects(read(kml('<Folder>'.repeat(300))), /nested deeper than 256 levels/);
  await assert.rejects(read(kml(`<${'a'.repeat(2000)}/>`)), /a name is longer than 1024 bytes/);
  await assert.rejects(read(encoder.encode('<gpx/>')), /is not KML: it looks like GPX/);
  await assert.rejects(read(encoder.encode('<svg/>')), /XML whose root element is 'svg'/);
});

test('text that hides the end of a placemark does not end it', async () => {
  const hidden = '</Placemark><Placemark>';
  const { layers } = await read(
    kml(
      `<Placemark><description><![CDATA[${hidden}]]></description></Placemark ><Placemark><!-- ${hidden} --><?x ${hidden} ?><name>b</name></Placemark><Placemark><other><Placemark/></other><name>c</name></Placemark>`,
    ),
  );
  assert.deepEqual(
    layers[0].rows.map(({ properties: { name, description } }) => [name, description]),
    [
      [null, hidden],
      ['b', null],
      ['c', null],
    ],
  );
});

test('end tags with white space or another prefix cost no search of the rest of the file for each feature', async () => {
  const count = 5000;
  const spaced = '<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark >';
  const prefixed = '<kml:Placemark><Point><coordinates>1,2</coordinates></Point></kml:Placemark>';
  const reading = (features: number) => async () => {
    const { layers } = await read(kml(spaced.repeat(features) + prefixed.repeat(features)));
    assert.equal(layers[0].rows.length, 2 * features);
  };
  await assertLittleGrowth('features', [reading(count), reading(4 * count)]);
});

test('a root that is a feature may be longer than the window of the reader', async () => {
  const description = 'x'.repeat(5 << 20);
  const { layers } = await read(
    encoder.encode(`<Placemark><description>${description}</description></Placemark>`),
  );
  assert.deepEqual(
    layers.map(({ rows }) => rows.map(({ properties }) => properties.description === description)),
    [[true]],
  );
});

test('the document of a KMZ is at its root, whatever comes first in the archive', async () => {
  const inner = kml('<Placemark><name>inner</name></Placemark>');
  const root = kml('<Placemark><name>root</name></Placemark>');
  const archive = storedZip([
    { name: 'files/a.kml', bytes: Buffer.from(inner) },
    { name: 'b.kml', bytes: Buffer.from(root) },
  ]);
  const { layers } = await readBytesLayers(reader, archive, { name: 'x.kmz' });
  assert.equal(layers[0].rows[0].properties.name, 'root');
});

test('features of updates are reported as lost, and further documents of a KMZ are read', async () => {
  const update =
    '<NetworkLinkControl><Update><targetHref>a.kml</targetHref><Create><Folder targetId="f"><Placemark><name>new</name></Placemark>' +
    '<Placemark/></Folder></Create><Change><GroundOverlay targetId="o"/></Change></Update></NetworkLinkControl>';
  const document = Buffer.from(`<kml>${update}<Placemark><name>own</name></Placemark></kml>`);
  const archive = storedZip([
    { name: 'doc.kml', bytes: document },
    { name: 'files/more.kml', bytes: document },
    { name: 'sign.png', bytes: Buffer.from('png') },
  ]);
  const { layers, findings } = await readBytesLayers(reader, archive, { name: 'x.kmz' });
  assert.deepEqual(
    layers.map(({ rows }) => rows.length),
    [1, 1],
  );
  const counts = new Map(
    findings.map(({ code, count }) => [code, [catalogue.findings[code].severity, count]]),
  );
  assert.deepEqual(counts.get('KML_UPDATES_IGNORED'), ['lost', 6]);
  assert.deepEqual(counts.get('KMZ_FILES_IGNORED'), ['info', 1]);
});

test('repeated tags keep their values, whatever differs in them', async () => {
  const data = (i: number): string =>
    `<Data name="a${i % 3}" x="${i}"><value>${i}</value></Data><Data  name='b' ><value/></Data><Data name="c"><value>${i}</value></Data >`;
  const count = 400;
  const content = Array.from(
    { length: count },
    (_, i) => `<Placemark id="p${i}"><ExtendedData>${data(i)}</ExtendedData></Placemark>`,
  );
  const { layers } = await read(kml(content.join('')));
  assert.equal(layers[0].rows.length, count);
  for (const [i, { properties }] of layers[0].rows.entries()) {
    for (let k = 0; k < 3; k++) assert.equal(properties[`a${k}`], i % 3 === k ? i : null);
    assert.equal(properties.c, i);
  }
});

test('the word Placemark in a text, in another namespace or before a blank ends no placemark', async () => {
  const { layers } = await read(
    Buffer.from(
      '<k:kml xmlns:k="x"><k:Document><k:Placemark><k:name>Placemark! k:Placemark></k:name></k:Placemark>' +
        '<k:Placemark><x:Placemark><x:a/></x:Placemark><k:name> b</k:name></k:Placemark ><k:Placemark><k:name>\nc\n</k:name></k:Placemark></k:Document></k:kml>',
    ),
  );
  assert.deepEqual(
    layers[0].rows.map(({ properties: { name } }) => name),
    ['Placemark! k:Placemark>', ' b', 'c'],
  );
});

test('values are found by their names where features leave some out', async () => {
  const names = Array.from({ length: 24 }, (_, i) => `f${i}`);
  const rows = [names, ['f3', 'f20'], ['f23', 'f1', 'f0'], [], names.toReversed(), ['f9', 'f22']];
  const data = (row: readonly string[]): string =>
    row.map((name) => `<Data name="${name}"><value>v${name}</value></Data>`).join('');
  const { layers } = await read(
    kml(rows.map((row) => `<Placemark><ExtendedData>${data(row)}</ExtendedData></Placemark>`).join('')),
  );
  for (const [i, { properties }] of layers[0].rows.entries())
    for (const name of names)
      assert.equal(properties[name], rows[i].includes(name) ? `v${name}` : null, `${name} of row ${i}`);
});

test('standard fields without values are left out on request', async () => {
  const content = kml('<Placemark><name>a</name><visibility>1</visibility></Placemark>');
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.kml');
  writeFileSync(path, content);
  const { layers } = await readFileLayers(reader, path, { options: { standard_fields: 'used' } });
  assert.deepEqual(layers[0].fields, [
    { name: 'name', type: 'string' },
    { name: 'visibility', type: 'boolean' },
  ]);
});

const feature = (
  properties: object,
  geometry: object | null = { type: 'Point', coordinates: [1, 2] },
): object => ({
  type: 'Feature',
  properties,
  geometry,
});

const LINE = {
  type: 'LineString',
  coordinates: [
    [1, 2, 3],
    [4, 5],
  ],
};
const FEATURES = [
  feature({
    name: 'a<&>"',
    description: '<b>x</b>',
    color: '#11aa00',
    timestamp: '2024-02-29',
    n: 1,
    t: ' x\r\n',
  }),
  feature(
    {
      name: 'b',
      color: '#0000ff80',
      begin: '2024-01-01',
      end: 'soon',
      altitudeMode: 'absolute',
      tessellate: true,
    },
    LINE,
  ),
  feature({ name: 'c', color: 'red', altitudeMode: 'high', extrude: false, t: '\u0001' }, null),
  feature(
    { name: 'd', icon: 'a&b.png', t: '' },
    {
      type: 'GeometryCollection',
      geometries: [
        LINE,
        {
          type: 'MultiPoint',
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      ],
    },
  ),
];

test('what is read from KML is written as the same elements', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: FEATURES }));
  const there = await convertFile(path, workspace.path, { from: 'geojson', to: 'kml', outputName: 'there' });
  const text = readFileSync(there.outputPath, 'utf8');
  assert.match(
    text,
    /<TimeStamp><when>2024-02-29<\/when><\/TimeStamp><Style><IconStyle><color>ff00aa11<\/color>/,
  );
  assert.match(
    text,
    /<LineString><tessellate>1<\/tessellate><altitudeMode>absolute<\/altitudeMode><coordinates>1,2,3 4,5</,
  );
  assert.deepEqual(there.report.warnings.map(({ code, count }) => `${code} ${count}`).sort(), [
    'KML_CHARACTERS_REPLACED 1',
    'KML_COLOR_INVALID 1',
  ]);
  const back = await convertFile(there.outputPath, workspace.path, {
    from: 'kml',
    to: 'geojson',
    outputName: 'back',
  });
  const found = (
    JSON.parse(readFileSync(back.outputPath, 'utf8')) as {
      features: { properties: object; geometry: object }[];
    }
  ).features;
  const kept = found.map(({ properties, geometry }) => ({
    type: 'Feature',
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)),
    geometry,
  }));
  const replaced = JSON.parse(JSON.stringify(FEATURES).replace('\\u0001', '\ufffd'));
  assert.deepEqual(kept, replaced);
});

test('GDAL reads the names, values and geometries of a KML and a KMZ', { skip: withoutGdal }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: FEATURES }));
  for (const kmz of [false, true]) {
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'kml',
      outputName: `gdal-${kmz}`,
      writeOptions: { kmz },
    });
    const { layers, warnings } = await gdalFacts(outputPath);
    assert.deepEqual(warnings, []);
    assert.equal(layers[0].name, 'in');
    const cell = (row: number, name: string): unknown =>
      layers[0].rows[row].values[layers[0].fields.findIndex((field) => field.name === name)];
    assert.deepEqual(
      layers[0].rows.map(({ geometry }) => geometry),
      [
        'POINT (1 2)',
        'LINESTRING Z (1 2 3,4 5 0)',
        null,
        'GEOMETRYCOLLECTION Z (LINESTRING Z (1 2 3,4 5 0),MULTIPOINT Z ((1 2 0),(3 4 0)))',
      ],
    );
    assert.deepEqual([cell(0, 'Name'), cell(0, 'description')], ['a<&>"', '<b>x</b>']);
    assert.deepEqual([cell(0, 'n'), cell(1, 'altitudeMode'), cell(1, 'tessellate')], ['1', 'absolute', '1']);
    assert.match(String(cell(0, 'timestamp')), /^2024\/02\/29/);
  }
});

/** Paths of outputs with all that the writer can write. */
async function makeOutputs(directory: string): Promise<string[]> {
  const path = join(directory, 'in.geojson');
  const odd = ODD_TIMES.map((time, i) =>
    feature({
      timestamp: time,
      ...(i % 2 === 0 ? { begin: time, end: '2020' } : {}),
      name: ODD_TEXTS[i % ODD_TEXTS.length],
      icon: ODD_URIS[i % ODD_URIS.length],
      [`field ${ODD_TEXTS[i % ODD_TEXTS.length]}`]: i,
    }),
  );
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: [...FEATURES, ...odd] }));
  const fixtures = join(import.meta.dirname, '../../../test/fixtures');
  const inputs = [
    ['geojson', path],
    ...['geometries', 'attributes', 'empty'].map((name) => ['kml', join(fixtures, 'kml', `${name}.kml`)]),
    ...['geometries', 'types'].map((name) => ['geojson', join(fixtures, 'geojson', `${name}.geojson`)]),
  ];
  const outputs: string[] = [];
  for (const [i, [from, input]] of inputs.entries()) {
    const { outputPath } = await convertFile(input, directory, { from, to: 'kml', outputName: `valid-${i}` });
    outputs.push(outputPath);
  }
  return outputs;
}

test('outputs are valid by an excerpt of the schema', { skip: withoutXmllint }, async () => {
  using workspace = makeWorkspace();
  assertValid(excerptOf('kml'), await makeOutputs(workspace.path));
});

test('outputs are valid by the schema of the OGC', { skip: withoutSchemas }, async () => {
  using workspace = makeWorkspace();
  assertValid(schemaOf('kml'), await makeOutputs(workspace.path));
});

const HAS_OGR = spawnSync('ogr2ogr', ['--version']).status === 0;

test('reads what GDAL writes', { skip: HAS_OGR ? false : 'gdal-bin is not installed' }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'gdal.kml');
  const sample = join(import.meta.dirname, '../../../samples/harbour.geojson');
  const made = spawnSync('ogr2ogr', ['-f', 'LIBKML', path, sample], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const { outputPath, report } = await convertFile(path, workspace.path, { from: 'kml', to: 'geojson' });
  assert.deepEqual(report.warnings, []);
  type Rows = { features: { properties: Record<string, unknown>; geometry: object }[] };
  const given = (JSON.parse(readFileSync(sample, 'utf8')) as Rows).features;
  const found = (JSON.parse(readFileSync(outputPath, 'utf8')) as Rows).features;
  assert.equal(found.length, given.length);
  for (const [i, { properties }] of given.entries())
    for (const name of ['name', 'kind', 'built', 'depth_m'])
      assert.deepEqual(found[i].properties[name] ?? null, properties[name] ?? null, name);
});
