/** The linter of drawings finds each fault that tolerant readers repair silently. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { lintDxf } from '../../../test/support/dxf/lint.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/dxf');
const GOOD = readFileSync(join(FIXTURES, 'r2018.dxf'), 'utf8').replaceAll('\r\n', '\n');

/** Removes the tags from the first match to before the next code 0 (or the ENDTAB of a table). */
function without(start: string, end: string): string {
  const from = GOOD.indexOf(start);
  const to = GOOD.indexOf(end, from + start.length);
  assert.ok(from > 0 && to > from, `${JSON.stringify(start)} is in the drawing`);
  return GOOD.slice(0, from) + GOOD.slice(to);
}

function replaced(from: string | RegExp, to: string): string {
  const text = GOOD.replace(from, to);
  assert.notEqual(text, GOOD, `${from} is in the drawing`);
  return text;
}

const tag = (code: number, value: string): string => `${String(code).padStart(3)}\n${value}\n`;
const cut = (code: number, value: string): string => replaced(tag(code, value), '');
/** XDATA at the end of the first POINT. */
const withXdata = (...tags: string[]): string =>
  replaced(/(AcDbPoint\n(?: *[123]0\n.*\n)+)/, `$1${tags.join('')}`);

const damages: Readonly<Record<string, readonly [text: () => string, complaint: RegExp]>> = {
  'a line that is no pair': [() => `${GOOD}  0\n`, /pairs/],
  'a group code of letters': [() => replaced('  0\nLINE\n', ' xy\nLINE\n'), /no group code/],
  'an invalid number': [() => replaced(/AcDbLine\n 10\n.*\n/, 'AcDbLine\n 10\nNaN\n'), /no finite number/],
  'a missing EOF': [() => cut(0, 'EOF'), /EOF/],
  'no CLASSES': [() => without('  0\nSECTION\n  2\nCLASSES', '  0\nSECTION\n  2\nTABLES'), /sections are/],
  'no $HANDSEED': [() => without('  9\n$HANDSEED', '  9\n'), /HANDSEED/],
  'a $HANDSEED that is used': [() => replaced(/(\$HANDSEED\n {2}5\n).*/, '$11'), /not above/],
  'another $ACADVER': [() => replaced('AC1032', 'AC1027'), /ACADVER/],
  'no table VPORT': [() => without('  0\nTABLE\n  2\nVPORT', '  0\nTABLE\n  2\nLTYPE'), /no table VPORT/],
  'a wrong count in a table': [() => replaced(/(AcDbSymbolTable\n 70\n)\d+/, '$19'), /says 9 records/],
  'no linetype Continuous': [() => replaced(/Continuous\n 70/i, 'Dots\n 70'), /Continuous/i],
  'a layer that is used and not defined': [() => replaced('  8\nWände', '  8\nFenster'), /'Fenster'/],
  'a handle used twice': [() => replaced(/(LINE\n {2}5\n)\w+/, '$12F'), /twice/],
  'an entity without a handle': [() => replaced(/(\nLINE\n) {2}5\n\w+\n/, '$1'), /no handle/],
  'an entity without an owner': [() => replaced(/(\nLINE\n {2}5\n\w+\n)330\n\w+\n/, '$1'), /no BLOCK_RECORD/],
  'a pointer at nothing': [() => replaced(/390\n\w+\n/, '390\nFFFF\n'), /points at nothing/],
  'a layer without plot style': [() => replaced(/390\n\w+\n/, ''), /plot style/],
  'a missing subclass marker': [() => cut(100, 'AcDbLine'), /AcDbLine/],
  'a block without a record': [() => replaced(/(AcDbBlockBegin\n {2}2\n)TÜR/, '$1TOR'), /no BLOCK_RECORD/],
  'an insert of a missing block': [
    () => replaced(/(AcDbBlockReference\n(?: 66\n.*\n)? {2}2\n)TÜR/, '$1TOR'),
    /'TOR' is not defined/,
  ],
  'a wrong vertex count': [() => replaced(/(AcDbPolyline\n 90\n)\d+/, '$15'), /90 says 5/],
  'a vertex count that is not the first': [
    () => replaced(/(AcDbPolyline\n)( 90\n\d+\n)( 70\n\d+\n)/, '$1$3$2'),
    /90 is not the first/,
  ],
  'a wrong path count in a hatch': [() => replaced(/ 91\n2\n/, ' 91\n3\n'), /HATCH/],
  'a wrong vertex count in a hatch': [() => replaced(/ 93\n4\n/, ' 93\n5\n'), /HATCH/],
  'a polyline without SEQEND': [() => without('  0\nSEQEND', '  0\nPOLYLINE'), /no SEQEND/],
  'a lineweight of another list': [
    () => replaced('AcDbEntity\n  8\nWände\n', 'AcDbEntity\n  8\nWände\n370\n7\n'),
    /lineweight/,
  ],
  'a linetype that is not defined': [
    () => replaced('AcDbEntity\n  8\nWände\n', 'AcDbEntity\n  8\nWände\n  6\nDOTS\n'),
    /'DOTS'/,
  ],
  'XDATA of an unknown application': [() => withXdata(tag(1001, 'NOBODY')), /'NOBODY'/],
  'XDATA without an application': [() => withXdata(tag(1000, 'x')), /begin with an application/],
  'XDATA with too long a string': [
    () => withXdata(tag(1001, 'ACAD'), tag(1000, 'ü'.repeat(128))),
    /256 bytes/,
  ],
  'too much XDATA': [
    () => withXdata(tag(1001, 'ACAD'), tag(1000, 'x'.repeat(250)).repeat(70)),
    /bytes of XDATA/,
  ],
  'open braces in XDATA': [() => withXdata(tag(1001, 'ACAD'), tag(1002, '{')), /braces/],
  'no root dictionary': [() => without('  0\nDICTIONARY', '  0\nDICTIONARY'), /root dictionary/],
  'a layout that its record does not know': [
    () => replaced(/(AcDbBlockTableRecord\n {2}2\n\*Model_Space\n340\n)\w+/i, '$10'),
    /not linked/,
  ],
  'a control character': [() => replaced('Größe 5', 'Größe\u00015'), /control character/],
};

test('finds no fault in a drawing of ezdxf', () => {
  assert.deepEqual(lintDxf(Buffer.from(GOOD)), []);
});

for (const [what, [damaged, complaint]] of Object.entries(damages)) {
  test(`complains about ${what}`, () => {
    const complaints = lintDxf(Buffer.from(damaged()));
    assert.ok(
      complaints.some((text) => complaint.test(text)),
      `${complaints.length} complaints: ${complaints.slice(0, 5).join('; ')}`,
    );
  });
}

test('complains about bytes that are not UTF-8', () => {
  assert.deepEqual(lintDxf(Buffer.from([0x30, 0xff])), ['the bytes are no UTF-8']);
});
