/** Notes at the names of the columns of a sheet: what is known of a field, as text that reads back the same. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { row, workbook } from '../../../test/support/workbooks.ts';
import type { CodedValue, FieldFacts } from '../../core/src/columns/field-facts.ts';
import { headerNote, readNote } from '../src/xlsx/header-note.ts';
import { reader } from '../src/xlsx/read.ts';
import { columnLetters } from '../src/xlsx/sheet-facts.ts';

const coded = (...values: readonly CodedValue[]): FieldFacts => ({
  domain: { kind: 'coded', name: 'kinds', values },
});
const ONE = coded({ code: '1', text: 'one' });

const WHOLE: Readonly<Record<string, FieldFacts>> = {
  'an alternative name': { alias: 'Kind of it' },
  'a description of several lines': { alias: 'a', description: 'first\n\nValues (x):\n1 = 2' },
  'a description that begins like a label': { description: 'Alternative name: no' },
  codes: coded({ code: '1', text: 'one = 1' }, { code: 'b', text: null }, { code: 'c', text: '' }),
  'a domain with a description': {
    domain: { kind: 'coded', name: 'k (2)', description: 'd', values: [{ code: 'x', text: 'y' }] },
  },
  all: { alias: 'A', description: 'd', ...ONE },
};

for (const [what, facts] of Object.entries(WHOLE))
  test(`a note has ${what}`, () => {
    const note = headerNote(facts);
    assert.deepEqual(note?.held, facts);
    assert.deepEqual(readNote(note.text), facts);
  });

const REDUCED: readonly (readonly [what: string, facts: FieldFacts, held: readonly string[]])[] = [
  ['a code with a line end', { alias: 'A', ...coded({ code: 'a\nb', text: null }) }, ['alias']],
  [
    'a code with the sign between code and text',
    { alias: 'A', ...coded({ code: 'a = b', text: null }) },
    ['alias'],
  ],
  ['a text with a line end', { description: 'd', ...coded({ code: 'a', text: 'x\ny' }) }, ['description']],
  [
    'too many codes',
    { alias: 'A', ...coded(...Array.from({ length: 9000 }, (_, i) => ({ code: `c${i}`, text: null }))) },
    ['alias'],
  ],
  ['a description that is too long', { alias: 'A', description: 'x'.repeat(40_000) }, ['alias']],
  ['an alternative name with a line end', { alias: 'A\nB' }, []],
];

for (const [what, facts, held] of REDUCED)
  test(`a note leaves out ${what}`, () => {
    assert.deepEqual(Object.keys(headerNote(facts)?.held ?? {}), held);
  });

test('a note that a person wrote is a description', () => {
  assert.deepEqual(readNote(' Ann:\nin metres \n'), { description: 'Ann:\nin metres' });
  const threaded =
    '[Threaded comment]\n\nYour version of Excel allows you to read this.\n\nComment:\n    in metres';
  assert.deepEqual(readNote(threaded), { description: 'in metres' });
  assert.deepEqual(readNote(''), {});
});

test('columns have letters', () => {
  assert.deepEqual([0, 25, 26, 701, 702, 16_383].map(columnLetters), ['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD']);
});

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

async function factsOf(comments: string, rows: string): Promise<readonly [unknown, readonly string[]]> {
  const extra = {
    'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/comments" Target="../comments1.xml"/></Relationships>`,
    'xl/comments1.xml': comments,
  };
  const bytes = workbook({ sheets: [{ name: 'a', rows }], parts: extra });
  const { layers, findings } = await readBytesLayers(reader, bytes, { name: 'x.xlsx' });
  const { facts } = layers[0].source;
  return [Object.fromEntries(facts?.fields ?? []), findings.map(({ code }) => code)];
}

const comments = (...notes: readonly (readonly [cell: string, text: string])[]): string =>
  `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author/></authors><commentList>${notes
    .map(([cell, text]) => `<comment ref="${cell}" authorId="0"><text>${text}</text></comment>`)
    .join('')}</commentList></comments>`;
const TABLE = row('name', 'count') + row('a', 1);

test('notes are read of the cells of the header alone, also in runs with formats', async () => {
  const runs = '<r><t>in </t></r><r><rPr><b/></rPr><t xml:space="preserve">metres &amp; more</t></r>';
  const [facts, codes] = await factsOf(
    comments(['A1', '<t>the name</t>'], ['B1', runs], ['B2', '<t>why?</t>']),
    TABLE,
  );
  assert.deepEqual(facts, {
    name: { description: 'the name' },
    count: { description: 'in metres & more' },
  });
  assert.ok(!codes.includes('XLSX_NOTES_NOT_READ'));
});

test('the table of notes may begin in any cell', async () => {
  const cells = (at: number, ...texts: readonly string[]): string =>
    `<row r="${at}">${texts.map((text, i) => `<c r="${columnLetters(i + 2)}${at}" t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
  const rows = cells(4, 'name', 'kind') + cells(5, 'a', 'b');
  const [facts] = await factsOf(comments(['D4', '<t>of the road</t>'], ['C1', '<t>x</t>']), rows);
  assert.deepEqual(facts, { kind: { description: 'of the road' } });
});

test('damaged notes cost the notes alone', async () => {
  for (const text of ['<comments><comment ref="A1"', 'nothing', '', '<!DOCTYPE a><a/>']) {
    const [facts, codes] = await factsOf(text, TABLE);
    assert.deepEqual(facts, {}, text);
    assert.ok(codes.includes('XLSX_NOTES_NOT_READ'), text);
  }
});
