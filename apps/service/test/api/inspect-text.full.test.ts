/** `text` of inspections: encodings to choose from by eye, and the columns of a CSV. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import iconv from 'iconv-lite';
import type { Inspection } from '../../../../packages/client/src/client.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { writeRawShapefile } from '../../../../test/support/raw-shapefile.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({ runner: null, settings: { RUNNERS: '1' } });
test.after(() => service[Symbol.asyncDispose]());

type Text = NonNullable<Inspection['text']>;

async function send(config: object, file: Uint8Array | string, name: string): Promise<Response> {
  const form = new FormData();
  form.append('config', JSON.stringify(config));
  form.append('input_file', new Blob([file as Uint8Array<ArrayBuffer>]), name);
  return fetch(`${service.url}/v1/inspect`, { method: 'POST', body: form });
}

async function textOf(config: object, file: Uint8Array | string, name: string): Promise<Text> {
  const response = await send(config, file, name);
  assert.equal(response.status, 200, await response.clone().text());
  const { text } = (await response.json()) as Inspection;
  assert.ok(text !== null);
  return text;
}

/** The first text in each encoding. */
const firstSamples = ({ candidates }: Text): Record<string, string> =>
  Object.fromEntries(candidates.map(({ encoding, samples }) => [encoding, samples[0]]));

const NAMES = ['Größe', 'Straße', 'Köln', 'Zürich', 'Çeşme', 'Nîmes'];

test('a shapefile lists its texts in each plausible encoding, and the option overrides the file', async () => {
  using workspace = makeWorkspace();
  const rows = NAMES.map((name) => [Buffer.from(name).toString('latin1')]);
  const path = join(workspace.path, 'names.zip');
  // UTF-8 whose .cpg states another encoding.
  await writeRawShapefile(path, { fields: [['NAME', 'C', 20, 0]], rows, codePage: '1252' });
  const file = readFileSync(path);
  const found = await textOf({ input: { format: 'shp' } }, file, 'names.zip');
  assert.deepEqual([found.encoding, found.origin, found.table], ['UTF-8', 'content', null]);
  assert.equal(found.candidates[0].encoding, 'UTF-8');
  assert.deepEqual(found.candidates[0].samples, NAMES.slice(0, 5));
  assert.equal(firstSamples(found)['windows-1252'], 'GrÃ¶ÃŸe');
  const stated = await textOf({ input: { format: 'shp', encoding: 'windows-1252' } }, file, 'names.zip');
  assert.deepEqual([stated.encoding, stated.origin], ['windows-1252', 'request']);
});

for (const [encoding, name] of [
  ['windows-1252', 'Größe'],
  ['windows-1251', 'Москва'],
  ['CP850', 'Größe'],
  ['Shift_JIS', '東京都'],
] as const)
  test(`a CSV in ${encoding} is described, although it is not valid UTF-8`, async () => {
    const file = iconv.encode(`name,lon,lat\n${name},8.5,53.5\n`, encoding);
    const input = { format: 'csv' };
    const failed = await send({ input }, file, 'a.csv');
    assert.equal(failed.status, 400);
    assert.match(((await failed.json()) as { type: string }).type, /text-encoding-invalid$/);
    const text = await textOf({ input, text_only: true }, file, 'a.csv');
    assert.deepEqual([text.encoding, text.origin], ['UTF-8', 'default']);
    assert.equal(firstSamples(text)[encoding], name);
    const chosen = await textOf({ input: { ...input, encoding } }, file, 'a.csv');
    assert.deepEqual(
      [chosen.encoding, chosen.origin, chosen.table?.rows[0].cells[0]],
      [encoding, 'request', name],
    );
  });

test('a drawing of an old release has its texts in each encoding', async () => {
  const tags = ['0', 'SECTION', '2', 'HEADER', '9', '$ACADVER', '1', 'AC1009', '0', 'ENDSEC'];
  const entity = ['0', 'TEXT', '8', '0', '10', '1.0', '20', '2.0', '40', '2.5', '1', 'Größe'];
  const lines = [...tags, '0', 'SECTION', '2', 'ENTITIES', ...entity, '0', 'ENDSEC', '0', 'EOF', ''];
  const text = await textOf(
    { input: { format: 'dxf' } },
    iconv.encode(lines.join('\r\n'), 'cp850'),
    'old.dxf',
  );
  assert.equal(text.origin, 'default');
  assert.equal(firstSamples(text).CP850, 'Größe');
});

test('ASCII has no candidates, and formats with one encoding have no text', async () => {
  const ascii = await textOf({ input: { format: 'csv' } }, 'id,lon,lat\n1,8,53\n', 'a.csv');
  assert.deepEqual(ascii.candidates, []);
  const geojson = await send(
    { input: { format: 'geojson' } },
    '{"type":"Point","coordinates":[1,2]}',
    'a.json',
  );
  assert.equal(((await geojson.json()) as Inspection).text, null);
});

test('a CSV shows its columns as they are read, and the options that state them', async () => {
  const file = 'Bericht\nname;Rechtswert;Hochwert\nA;3480000,5;5930000,25\nB;3480100,5;5930100,25\n';
  const { table } = await textOf({ input: { format: 'csv', epsg: 31467 } }, file, 'a.csv');
  assert.deepEqual(table, {
    delimiter: ';',
    header_line: 2,
    columns: ['name', 'Rechtswert', 'Hochwert'],
    column_count: 3,
    rows: [
      { line: 3, cells: ['A', '3480000,5', '5930000,25'], problem: null },
      { line: 4, cells: ['B', '3480100,5', '5930100,25'], problem: null },
    ],
    options: { x_column: 'Rechtswert', y_column: 'Hochwert', decimal_comma: true },
  });
  const stated = {
    format: 'csv',
    epsg: 31467,
    csv_options: { ...table?.options, delimiter: ';', header_line: 2 },
  };
  assert.deepEqual((await textOf({ input: stated }, file, 'a.csv')).table, table);
});

test('a CSV that cannot be read has its columns and what is wrong with its rows', async () => {
  const none = await textOf(
    { input: { format: 'csv' }, text_only: true },
    'city|first|second\nBremen|53.1|8.8\nHamburg|53.5\n"x"y|1|2\n',
    'a.csv',
  );
  assert.equal(none.table?.options, null);
  assert.deepEqual(none.table?.columns, ['city', 'first', 'second']);
  const [good, short, broken] = none.table?.rows ?? [];
  assert.deepEqual([good.problem, short.line], [null, 3]);
  assert.match(short.problem ?? '', /2 cells and the header 3/);
  assert.match(broken.problem ?? '', /quote/);
  const stated = await textOf(
    {
      input: { format: 'csv', epsg: 4326, csv_options: { x_column: 'second', y_column: 'first' } },
      text_only: true,
    },
    'city,first,second\nBremen,53.1,8.8\nHamburg,north,9\n',
    'a.csv',
  );
  const [, wrong] = stated.table?.rows ?? [];
  assert.match(wrong.problem ?? '', /number/);
});

test('long tables are described in part', async () => {
  const names = Array.from({ length: 300 }, (_, i) => `c${i}`);
  const row = names.map((_, i) => (i < 2 ? '8' : 'ä'.repeat(500)));
  const file = `lon,lat,${names.slice(2).join()}\n${`${row.join()}\n`.repeat(20)}`;
  const { table, candidates } = await textOf({ input: { format: 'csv' } }, file, 'a.csv');
  assert.equal(table?.column_count, 300);
  assert.equal(table?.columns.length, 100);
  assert.equal(table?.rows[0].cells.length, 100);
  assert.ok((table?.rows.length ?? 0) <= 8);
  assert.ok(table?.rows.every(({ cells }) => cells.every((cell) => cell.length <= 61)));
  assert.ok(
    candidates.length <= 8 && candidates.every(({ samples }) => samples.every((text) => text.length <= 200)),
  );
});
