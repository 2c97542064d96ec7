/** Limits and guards of readers and writers at the value where they begin to hold, and one step before. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, workbook } from '../../../test/support/workbooks.ts';
import { storedZip } from '../../../test/support/zip-members.ts';
import { readPageLayout } from '../../engines/sqlite/src/database-pages.ts';
import { measureRows, measureTable } from '../../engines/sqlite/src/table-pages.ts';
import { reader as csv } from '../src/csv/read.ts';
import { cutPages } from '../src/gpkg/page-partitions.ts';
import { FoundElements } from '../src/gpx/structure.ts';
import { reader as xlsx } from '../src/xlsx/read.ts';

/** Bytes of a row in a batch besides its payload. */
const ROW_BYTES = 32;

/** A table of rows with the same payload, as many as fit on pages of 64 kB, and its measures. */
function table(directory: string, rowCount: number, textBytes: number) {
  const path = join(directory, 'a.sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA page_size = 65536; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)');
  const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
  for (let id = 1; id <= rowCount; id++) insert.run(id, 'x'.repeat(textBytes));
  const { root } = database.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 't'").get() as {
    root: number;
  };
  database.close();
  const layout = readPageLayout(path)!;
  const measures = measureTable(path, layout, root)!;
  const [payload] = measureRows(path, layout, measures.pages.leaves[0])!.payloadBytes;
  return { path, measures, rowBytes: payload + ROW_BYTES };
}

test('rows of a large page fill a partition to its last byte', () => {
  using workspace = makeWorkspace();
  const { path, measures, rowBytes } = table(workspace.path, 6, 9000);
  assert.deepEqual([...measures.rowCounts], [6]);
  const runsOf = (partitionBytes: number): number[] => [...cutPages(path, measures, partitionBytes)!.runs.rowCounts]; // biome-ignore format: one line
  assert.deepEqual(runsOf(2 * rowBytes), [2, 2, 2]);
  assert.deepEqual(runsOf(2 * rowBytes - 1), [1, 1, 1, 1, 1, 1]);
  // A page of just twice the size is not split.
  assert.deepEqual(runsOf(3 * rowBytes), [6]);
  assert.deepEqual(runsOf(3 * rowBytes - 1), [2, 2, 2]);
});

test('pages fill a partition to its last byte', () => {
  using workspace = makeWorkspace();
  const { path, measures, rowBytes } = table(workspace.path, 24, 9000);
  const bytes = [...measures.rowCounts].map((count) => count * rowBytes);
  assert.ok(bytes.length > 2 && bytes[0] === bytes[1]);
  const runsOf = (partitionBytes: number): number => [...cutPages(path, measures, partitionBytes)!.runs.rowCounts][0]; // biome-ignore format: one line
  assert.equal(runsOf(bytes[0] + bytes[1]), measures.rowCounts[0] + measures.rowCounts[1]);
  assert.equal(runsOf(bytes[0] + bytes[1] - 1), measures.rowCounts[0]);
});

test('a page with a single row is not split, however large it is', () => {
  using workspace = makeWorkspace();
  const { path, measures } = table(workspace.path, 1, 60_000);
  assert.deepEqual([...cutPages(path, measures, 1)!.runs.rowCounts], [1]);
});

test('elements of a GPX file share a piece until it has its size', () => {
  const found = new FoundElements(100);
  const pieces = (): number => found.pieces.length / 8;
  for (const [start, count] of [
    [10, 1],
    [20, 1],
    [109, 1],
    [110, 2],
    [209, 2],
    [210, 3],
  ]) {
    found.feature(start);
    assert.equal(pieces(), count, `at ${start}`);
  }
});

test('a header line and no header exclude each other', async () => {
  const options = { has_header: false, header_line: 1 };
  await assert.rejects(readBytesLayers(csv, 'lon,lat\n1,2\n', { options }), { code: 'CONFIG_INVALID' });
  await assert.rejects(readBytesLayers(csv, 'lon,lat\n1,2\n', { options: { header_line: 9 } }), { code: 'CONFIG_INVALID' }); // biome-ignore format: one line
});

const sheet = (rows: string, strings?: string, unzippedBytes = DEFAULT_INPUT_LIMITS.unzippedBytes) =>
  readBytesLayers(xlsx, workbook({ sheets: [{ name: 'a', rows: row('lon', 'lat') + rows }], strings }), {
    name: 'x.xlsx',
    limits: { ...DEFAULT_INPUT_LIMITS, fields: 20_000, unzippedBytes },
  });
const cell = (reference: string): string => `<c${reference === '' ? '' : ` r="${reference}"`}><v>1</v></c>`;

test('the cells of a row are in the order of their columns, each once, up to the last column of a sheet', async () => {
  const rowOf = (...references: string[]): string => `<row r="2">${references.map(cell).join('')}</row>`;
  await assert.doesNotReject(sheet(rowOf('A2', 'B2', 'XFD2')));
  await assert.doesNotReject(sheet(rowOf('A2', 'B2', 'XFC2', '')));
  for (const references of [['A2', 'B2', 'B2'], ['B2', 'A2'], ['A2', 'A2'], ['A2', 'B2', 'XFD2', ''], ['A2', 'B2', 'XFE2'], ['A2', 'B2', 'ZZZZ2']]) // biome-ignore format: one line
    await assert.rejects(sheet(rowOf(...references)), { code: 'XLSX_INVALID' }, references.join());
});

test('a reference of a cell has letters up to XFD and a number, however the cell is written', async () => {
  const rowOf = (reference: string, more: string): string => `<row r="2"><c><v>1</v></c><c><v>2</v></c><c r="${reference}"${more}><v>3</v></c></row>`; // biome-ignore format: one line
  for (const more of ['', ' other="1"', ' t="n" cm="1"']) {
    for (const reference of ['C2', 'c2', 'XFD2', 'Z9', 'ZZ0'])
      await assert.doesNotReject(sheet(rowOf(reference, more)), `${reference}${more}`);
    for (const reference of ['XFE2', 'ZZZ2', 'AAAAAAAA2', 'C', '2', '', 'C:', 'C/', '$C$2', 'Ä2'])
      await assert.rejects(sheet(rowOf(reference, more)), { code: 'XLSX_INVALID' }, `${reference}${more}`);
  }
});

test('the rows of a sheet are in their order, each once, up to its last row', async () => {
  const rowOf = (number: number): string => `<row r="${number}">${cell('')}${cell('')}</row>`;
  await assert.doesNotReject(sheet(rowOf(2) + rowOf(1_048_576)));
  for (const numbers of [[1], [2, 2], [3, 2], [2, 1_048_577], [0]])
    await assert.rejects(sheet(numbers.map(rowOf).join('')), { code: 'XLSX_INVALID' }, numbers.join());
});

test('the whole text of a sheet that is written again with more columns is forgotten, not its last piece', async () => {
  const rows = `<row>${cell('')}${cell('')}<c t="s"><v>0</v></c></row>`.repeat(14_000);
  const wide = row('1', '2', 'x', 'y', 'z');
  const read = await sheet(rows + wide, `<si><t>${'x'.repeat(900)}</t></si>`, 15_500_000);
  assert.equal(read.layers[0].rows.length, 14_001);
});

test('an archive without a workbook is no workbook', async () => {
  const bytes = storedZip([{ name: 'docs/readme.txt', bytes: new TextEncoder().encode('no workbook') }]);
  await assert.rejects(readBytesLayers(xlsx, bytes, { name: 'x.xlsx' }), /a zip archive without a workbook/);
});

test('a geometry of one waypoint or track is not told to have several', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  const repeated = async (geometry: object): Promise<number> => {
    writeFileSync(path, JSON.stringify({ type: 'Feature', properties: {}, geometry }));
    const { report } = await convertFile(path, workspace.path, { from: 'geojson', to: 'gpx' });
    return report.warnings.filter(({ code }) => code === 'GPX_PARTS_REPEATED').length;
  };
  const point = { type: 'Point', coordinates: [1, 2] };
  const line = { type: 'LineString', coordinates: [[1, 2], [3, 4]] }; // biome-ignore format: one line
  const lines = { type: 'MultiLineString', coordinates: [line.coordinates, line.coordinates] };
  for (const geometry of [point, line, lines]) assert.equal(await repeated(geometry), 0);
  const points = { type: 'MultiPoint', coordinates: [[1, 2], [3, 4]] }; // biome-ignore format: one line
  for (const geometry of [points, { type: 'GeometryCollection', geometries: [point, line] }])
    assert.equal(await repeated(geometry), 1);
});
