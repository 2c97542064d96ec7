import assert from 'node:assert/strict';
import test from 'node:test';
import { drawn, entity, scaling } from '../../../test/support/dxf-entity.ts';
import { IDENTITY, rotation } from '../src/dxf/shapes/affine-map.ts';
import { plainMtext, plainText } from '../src/dxf/shapes/mtext.ts';
import { textHeight, textOf, textRotationDegrees } from '../src/dxf/shapes/text.ts';

test('resolves control codes of single lines', () => {
  const cases: [string, string][] = [
    ['45%%d', '45°'],
    ['%%C20 %%P0.1', 'Ø20 ±0.1'],
    ['%%uunder%%u and %%oover%%O', 'under and over'],
    ['100%%%', '100%'],
    ['100%', '100%'],
    ['%%065%%176', 'A°'],
    ['%%x', '%%x'],
    ['a^Ib^ c^Jd', 'a\tb^c\nd'],
    ['2^3', '2^3'],
    ['\\P stays', '\\P stays'],
  ];
  for (const [value, expected] of cases) assert.equal(plainText(value), expected);
});

test('removes formatting codes of MTEXT', () => {
  const cases: [string, string][] = [
    ['one\\Ptwo\\~three', 'one\ntwo\u00a0three'],
    ['{\\fArial|b1|i0|c0|p34;bold} \\H2.5x;big \\C1;red \\Lline\\l', 'bold big red line'],
    ['{\\A1;\\W0.8;\\Q15;\\T1.1;x}', 'x'],
    ['\\pi-3,l3,t3;item^Itext', 'item\ttext'],
    ['\\S1/2; \\S3#4; \\S+0.1^-0.2;', '1/2 3/4 +0.1 -0.2'],
    ['m\\S2^ ;', 'm2'],
    ['\\S1\\/2/3;', '1/2/3'],
    ['a \\\\ b \\{c\\}', 'a \\ b {c}'],
    ['20%%d', '20°'],
    ['open \\', 'open \\'],
    ['\\H without end', ' without end'],
    ['', ''],
  ];
  for (const [value, expected] of cases) assert.equal(plainMtext(value), expected);
});

test('joins the chunks of an MTEXT in order, without embedded objects', () => {
  assert.equal(textOf(entity('MTEXT', '3 first;, 3 second;, 1 third').tags), 'first;second;third');
  const attribute = entity('ATTRIB', [
    [10, 1],
    [20, 2],
    [40, 3],
    [1, 'one line'],
    [101, 'Embedded Object'],
    [10, 9],
    [40, 9],
    [1, 'other'],
  ]);
  assert.equal(textOf(attribute.tags), 'one line');
  assert.equal(textHeight(attribute.tags), 3);
  assert.equal(textOf(entity('LINE', '1 x').tags), null);
});

test('places aligned text at its alignment point', () => {
  const at = (type: string, more: string): number[] =>
    drawn(entity(type, `10 1, 20 2, 11 5, 21 6, 1 x${more}`)).parts[0][0][0];
  assert.deepEqual(at('TEXT', ''), [1, 2]);
  assert.deepEqual(at('TEXT', ', 72 1'), [5, 6]);
  assert.deepEqual(at('TEXT', ', 73 2'), [5, 6]);
  assert.deepEqual(at('TEXT', ', 72 5'), [1, 2]);
  assert.deepEqual(at('ATTRIB', ', 73 8'), [1, 2]);
  assert.deepEqual(at('ATTDEF', ', 74 1'), [5, 6]);
});

test('gives rotations in degrees in the world', () => {
  const text = entity('TEXT', '10 0, 20 0, 50 30').tags;
  assert.equal(textRotationDegrees(text, IDENTITY), 30);
  assert.equal(textRotationDegrees(text, rotation(90)), 120);
  assert.equal(textRotationDegrees(text, scaling(-1, 1, 1)), 150);
  assert.equal(textRotationDegrees(entity('TEXT', '10 0, 50 -30').tags, IDENTITY), 330);
  assert.equal(textRotationDegrees(entity('TEXT', '10 0, 50 30, 210 0, 220 0, 230 -1').tags, IDENTITY), 150);
  assert.equal(textRotationDegrees(entity('MTEXT', '10 0, 11 0, 21 2, 31 0').tags, IDENTITY), 90);
  assert.equal(textRotationDegrees(entity('MTEXT', '10 0').tags, IDENTITY), 0);
  assert.equal(textRotationDegrees(entity('LINE', '10 0').tags, IDENTITY), null);
});

test('reads the text of a multileader from its context', () => {
  const { tags } = entity(
    'MULTILEADER',
    '300 CONTEXT_DATA{, 41 2.5, 304 {\\C1;note}, 302 LEADER{, 303 }, 301 }',
  );
  assert.equal(textOf(tags), 'note');
  assert.equal(textHeight(tags), 2.5);
});
