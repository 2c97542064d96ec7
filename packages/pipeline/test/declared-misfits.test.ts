/** A value by which a declared field of a document becomes text is told with its place: GPX and KML. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';

async function widenedIn(from: 'gpx' | 'kml', text: string): Promise<unknown[]> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, `in.${from}`);
  writeFileSync(path, text);
  const { report } = await convertFile(path, workspace.path, { from, to: 'csv', toCrs: 'EPSG:4326' });
  return report.warnings
    .filter(({ code }) => code === 'FIELD_WIDENED')
    .map(({ params: { field, declared, type }, places }) => [field, declared, type, places[0]?.record]);
}

function gpx(points: readonly string[]): string {
  const elements = points.map((point) => `<wpt lat="50" lon="7">${point}</wpt>`);
  return `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">${elements.join('\n')}</gpx>`;
}

const time = '<time>2024-01-01T10:00:00Z</time>';

test('an invalid time is reported with the first such feature', async () => {
  assert.deepEqual(await widenedIn('gpx', gpx([time, time, '<time>noon</time>', '<time>later</time>'])), [
    ['time', 'datetime', 'string', 3],
  ]);
});

test('so is an elevation that is no number', async () => {
  assert.deepEqual(await widenedIn('gpx', gpx(['<ele>1.5</ele>', '<ele>high</ele>'])), [
    ['ele', 'float64', 'string', 2],
  ]);
});

test('times of several kinds, numbers in other notations and fields without values are no misfits', async () => {
  const points = [time, '<time>2024-01-02</time>', '<ele>007</ele>', '<ele>+5</ele>', '<name>a</name>'];
  assert.deepEqual(await widenedIn('gpx', gpx(points)), []);
});

test('years, as KML writes times, are no dates, and no misfits', async () => {
  const placemark = (when: string): string =>
    `<Placemark><TimeStamp><when>${when}</when></TimeStamp><Point><coordinates>7,50</coordinates></Point></Placemark>`;
  const kml = (...times: string[]): string =>
    `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${times.map(placemark).join('')}</Document></kml>`;
  assert.deepEqual(await widenedIn('kml', kml('2024', '2023-05')), []);
  assert.deepEqual(await widenedIn('kml', kml('2024-01-01', '2024-01-02', 'spring')), [
    ['timestamp', 'datetime', 'string', 3],
  ]);
});
