/** Tracks of KML: positions, times and values belong together by their order. Arrays have the types of their Schema. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/kml/read.ts';

const kml = (content: string): string =>
  `<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>
<Schema id="s"><gx:SimpleArrayField name="speed" type="float"/><gx:SimpleArrayField name="beat" type="int"/><gx:SimpleArrayField name="big" type="long"/>
<gx:SimpleArrayField name="on" type="bool"/><gx:SimpleArrayField name="note" type="string"/></Schema>${content}</Document></kml>`;
const placemark = (content: string): string => `<Placemark><name>T</name>${content}</Placemark>`;
const time = (second: number): string => `2024-01-01T00:00:0${second}Z`;
const array = (name: string, values: readonly string[]): string =>
  `<gx:SimpleArrayData name="${name}">${values.map((value) => `<gx:value>${value}</gx:value>`).join('')}</gx:SimpleArrayData>`;
const data = (...arrays: readonly string[]): string =>
  `<ExtendedData><SchemaData schemaUrl="#s">${arrays.join('')}</SchemaData></ExtendedData>`;

/** `coords`: '' is an empty one. `times`: number of times. */
function track(coords: readonly string[], times: number, extended = ''): string {
  const whens = Array.from({ length: times }, (_, i) => `<when>${time(i)}</when>`);
  const elements = coords.map((coord) => (coord === '' ? '<gx:coord/>' : `<gx:coord>${coord}</gx:coord>`));
  return `<gx:Track>${whens.join('')}${elements.join('')}${extended}</gx:Track>`;
}

async function read(content: string) {
  const { layers, findings } = await readBytesLayers(reader, Buffer.from(kml(content)), {
    name: 'a.kml',
    options: { standard_fields: 'used' },
  });
  const counts = Object.fromEntries(findings.map(({ code, count }) => [code, count]));
  return { rows: layers[0].rows, counts };
}

test('a position that is missing takes its time and its values along, wherever it is', async () => {
  for (const gaps of [[0], [1], [3], [0, 3], [1, 2]]) {
    const coords = [0, 1, 2, 3].map((i) => (gaps.includes(i) ? '' : `${i} ${i} 5`));
    const left = [0, 1, 2, 3].filter((i) => !gaps.includes(i));
    const speeds = data(array('speed', ['0.5', '1.5', '2.5', '3.5']));
    const { rows, counts } = await read(placemark(track(coords, 4, speeds)));
    assert.deepEqual(rows[0].properties.times, left.map(time));
    assert.deepEqual(
      rows[0].properties.speed,
      left.map((i) => i + 0.5),
    );
    assert.equal(rows[0].geometry, `LINESTRING Z (${left.map((i) => `${i} ${i} 5`).join(',')})`);
    assert.equal(counts.KML_TRACK_GAPS, gaps.length);
  }
});

test('values before the positions are matched as well, and an array of another length is kept', async () => {
  const content = track(['1 1', '', '2 2'], 3).replace(
    '<gx:Track>',
    `<gx:Track>${data(array('beat', ['1', '2', '3']), array('note', ['a', 'b']))}`,
  );
  const { rows } = await read(placemark(content));
  assert.deepEqual(rows[0].properties.beat, [1, 3]);
  assert.deepEqual(rows[0].properties.note, ['a', 'b']);
});

test('a track without any position is no part of the geometry, and its times are none of the feature', async () => {
  const tracks = track(['', ''], 2) + track(['1 1', '2 2'], 2);
  const { rows, counts } = await read(placemark(`<gx:MultiTrack>${tracks}</gx:MultiTrack>`));
  assert.equal(rows[0].geometry, 'MULTILINESTRING ((1 1,2 2))');
  assert.deepEqual(rows[0].properties.times, [time(0), time(1)]);
  assert.equal(counts.KML_TRACK_GAPS, 2);
});

test('times without a position are left out and reported, positions without a time have an empty one', async () => {
  const more = await read(placemark(track(['1 1', '2 2'], 4)));
  assert.deepEqual(more.rows[0].properties.times, [time(0), time(1)]);
  assert.equal(more.counts.KML_TRACK_TIMES_DROPPED, 2);
  const fewer = await read(placemark(track(['1 1', '2 2', '3 3'], 1)));
  assert.deepEqual(fewer.rows[0].properties.times, [time(0), '', '']);
  assert.equal(fewer.counts.KML_TRACK_TIMES_MISSING, 2);
  const none = await read(placemark(track(['1 1', '2 2'], 0)));
  assert.equal(none.rows[0].properties.times ?? null, null);
  assert.deepEqual(Object.keys(none.counts), []);
});

test('values of several tracks are a list for each', async () => {
  const tracks = ['1', '2'].map((n) => track(['1 1', '', '2 2'], 3, data(array('beat', [n, '0', `${n}5`]))));
  const { rows } = await read(placemark(`<gx:MultiTrack>${tracks.join('')}</gx:MultiTrack>`));
  assert.deepEqual(rows[0].properties.beat, [[1, 15], [2, 25]]); // biome-ignore format: lists of a track each
});

test('elements of arrays have the declared types, without a finding', async () => {
  const arrays = data(
    array('speed', ['1', '2.50', '', 'x']),
    array('beat', ['86', ' 103 ', '']),
    array('big', ['9007199254740993']),
    array('on', ['1', 'false', '']),
    array('note', ['1', '', 'a']),
  );
  const text = kml(placemark(track(['1 1', '2 2'], 0, arrays)));
  const { layers, findings } = await readBytesLayers(reader, Buffer.from(text), { name: 'a.kml' });
  assert.deepEqual(
    findings.map(({ code }) => code),
    [],
  );
  const { speed, beat, on, note } = layers[0].rows[0].properties;
  assert.deepEqual(
    [speed, beat, on, note],
    [
      [1, 2.5, null, 'x'],
      [86, 103, null],
      [true, false, null],
      ['1', '', 'a'],
    ],
  );
  assert.deepEqual(
    layers[0].fields
      .filter(({ name }) => ['speed', 'beat', 'big', 'on', 'note'].includes(name))
      .map(({ type }) => type),
    ['json', 'json', 'json', 'json', 'json'],
  );
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'a.kml');
  writeFileSync(input, text);
  const { outputPath } = await convertFile(input, workspace.path, { from: 'kml', to: 'geojson' });
  assert.match(readFileSync(outputPath, 'utf8'), /"big":\[9007199254740993\]/);
});

test('a GPX of a track with gaps has the times of its points', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'a.kml');
  writeFileSync(input, kml(placemark(`<gx:MultiTrack>${track(['1 1 1', '', '2 2 2'], 4)}</gx:MultiTrack>`)));
  const { outputPath, report } = await convertFile(input, workspace.path, { from: 'kml', to: 'gpx' });
  const text = readFileSync(outputPath, 'utf8');
  assert.deepEqual(text.match(/(?<=<time>)[^<]*/g)?.slice(-2), [time(0), time(2)]);
  assert.ok(!report.warnings.some(({ code }) => code === 'GPX_TIMES_UNUSED'));
});
