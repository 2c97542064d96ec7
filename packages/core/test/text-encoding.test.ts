import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { encodingByLanguageId, encodingByName, textDecoder } from '../src/bytes/text-encoding.ts';
import { invalidUtf8At, utf8Boundary } from '../src/bytes/utf8.ts';

const names: readonly (readonly [given: string, encoding: string | null])[] = [
  ['UTF-8', 'UTF-8'],
  ['utf8', 'UTF-8'],
  ['65001', 'UTF-8'],
  ['1252', 'windows-1252'],
  ['CP1251', 'windows-1251'],
  ['windows-1251', 'windows-1251'],
  ['ANSI 1252', 'windows-1252'],
  ['OEM 437', 'CP437'],
  ['936', 'GBK'],
  ['950', 'Big5'],
  ['Big-5', 'Big5'],
  ['ISO-8859-1', 'ISO-8859-1'],
  ['ISO 8859-1', 'ISO-8859-1'],
  ['88591', 'ISO-8859-1'],
  ['885915', 'ISO-8859-15'],
  ['28592', 'ISO-8859-2'],
  ['LDID/87', 'windows-1252'],
  ['LDID/201', 'windows-1251'],
  ['SJIS', 'Shift_JIS'],
  ['klingon', null],
  ['base64', null],
  ['', null],
  ['LDID/0', null],
  ['99999', null],
];

for (const [given, encoding] of names) {
  test(`the encoding named '${given}' is ${encoding ?? 'not known'}`, () => {
    assert.equal(encodingByName(given), encoding);
  });
}

test('language driver ids name encodings that can be decoded', () => {
  for (let id = 0; id < 256; id++) {
    const encoding = encodingByLanguageId(id);
    if (encoding !== null)
      assert.equal(textDecoder(encoding)(Uint8Array.of(65), 0, 1), 'A', `${id} ${encoding}`);
  }
  assert.equal(encodingByLanguageId(0), null);
  assert.equal(textDecoder('CP437')(Uint8Array.of(0x81), 0, 1), 'ü');
});

test('validates UTF-8 as the platform does', () => {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const isValid = (bytes: Uint8Array): boolean => {
    try {
      strict.decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
  const lead = fc.constantFrom(
    0x41,
    0x80,
    0xbf,
    0xc0,
    0xc2,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
    0x9f,
    0xa0,
    0x90,
    0x8f,
  );
  fc.assert(
    fc.property(fc.array(lead, { maxLength: 8 }), (list) => {
      const bytes = Uint8Array.from(list);
      assert.equal(invalidUtf8At(bytes, 0, bytes.length) < 0, isValid(bytes));
    }),
    { numRuns: 3000 },
  );
});

test('a boundary never splits a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, limit) => {
      const bytes = new TextEncoder().encode(text);
      if (limit >= bytes.length) return;
      const end = utf8Boundary(bytes, 0, limit);
      assert.ok(end <= limit && limit - end < 4);
      assert.ok(invalidUtf8At(bytes, 0, end) < 0);
    }),
  );
});
