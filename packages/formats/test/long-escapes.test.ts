import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../core/src/bytes/byte-writer.ts';
import { writeJsonString } from '../../core/src/text/json-text.ts';
import { writeXmlText } from '../../core/src/text/xml-text.ts';
import { writeTextCell } from '../src/csv/encode.ts';

/** Texts of several blocks of escapes, in which any character may be at the end of a block. */
const longText = fc
  .tuple(
    fc.array(fc.constantFrom('a', '"', '\\', '\n', '\u0001', '\ufffe', 'é', '&', '<', '€'), {
      minLength: 1,
      maxLength: 40,
    }),
    fc.integer({ min: 9000, max: 9100 }),
  )
  .map(([characters, length]) => `.${characters.join('').repeat(length).slice(0, length)}.`);

function written(text: string, write: (out: ByteWriter, source: Uint8Array) => void): string {
  const out = new ByteWriter(16);
  write(out, new TextEncoder().encode(text));
  return new TextDecoder().decode(out.written());
}

const COMMA = 0x2c;

test('texts longer than what is escaped at once are escaped as short ones', () => {
  fc.assert(
    fc.property(longText, (text) => {
      const json = written(text, (out, source) => writeJsonString(out, source, 0, source.length));
      assert.equal(JSON.parse(json), text);
      const xml = written(text, (out, source) => void writeXmlText(out, source, 0, source.length));
      const escaped = text
        .replace(/&/g, '&amp;')
        .replace(/</g, '&lt;')
        .replaceAll('\u0001', '\ufffd')
        .replaceAll('\ufffe', '\ufffd');
      assert.equal(xml, escaped);
      const cell = written(text, (out, source) => writeTextCell(out, source, 0, source.length, COMMA));
      assert.equal(cell, /["\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    }),
    { numRuns: 50 },
  );
});
