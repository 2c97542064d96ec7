/** Formats that state an end mark refuse every file that was cut; what was cut is never taken for a whole file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { HEAD_BYTES } from '../../packages/formats/src/content.ts';
import type { FormatReader } from '../../packages/formats/src/reader.ts';
import { hasEndMark } from '../../packages/formats/src/recognise.ts';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { readBytesLayers } from '../support/read-layers.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const CUTS = 24;

/** Lengths of cut files: behind each of the last line ends, at even distances, and all but a few bytes. */
function cutLengths(bytes: Buffer): number[] {
  const lengths = new Set<number>();
  for (let i = 1; i < CUTS; i++) lengths.add(Math.floor((bytes.length * i) / CUTS));
  for (let end = bytes.length - 1, found = 0; end > 0 && found < CUTS; found++) {
    end = bytes.lastIndexOf(10, end - 1);
    if (end > 0) lengths.add(end + 1);
  }
  // The last byte of a text can be white space, which is no loss.
  const content = bytes.toString('latin1').trimEnd().length;
  for (const missing of [1, 2, 16, 512]) lengths.add(content - missing);
  return [...lengths].filter((length) => length > 0 && length < content);
}

async function rowsOf(reader: FormatReader, bytes: Buffer, name: string): Promise<number | GeomillError> {
  try {
    const { layers } = await readBytesLayers(reader, bytes, { name });
    return layers.reduce((sum, { rows }) => sum + rows.length, 0);
  } catch (error) {
    if (error instanceof GeomillError) return error;
    throw error;
  }
}

for (const { id, sample, endMark, loadReader } of inputFormats)
  test(`${id}: a file that was cut is refused if it has an end mark`, async () => {
    const bytes = readFileSync(join(SAMPLES, sample));
    const isMarked = hasEndMark(bytes.subarray(0, HEAD_BYTES));
    assert.equal(isMarked, endMark !== undefined);
    const reader = await loadReader();
    const whole = await rowsOf(reader, bytes, sample);
    assert.equal(typeof whole, 'number');
    if (!isMarked) return;
    for (const length of cutLengths(bytes)) {
      const result = await rowsOf(reader, bytes.subarray(0, length), sample);
      // Without the mark itself nothing is missing.
      if (result === whole) continue;
      assert.ok(result instanceof GeomillError, `${length} of ${bytes.length} bytes gave ${result} rows`);
      assert.equal(result.fault, 'user');
    }
  });

test('texts that can end after any row have no mark, whatever their first row', () => {
  const point = '{"type":"Point","coordinates":[1,2]}';
  const feature = `{"type":"Feature","properties":{},"geometry":${point}}\n`;
  const marks: readonly (readonly [string, boolean])[] = [
    ['id,lon,lat\n1,2,3\n', false],
    [feature, false],
    [`\u001e${feature}`, false],
    [`\ufeff${feature}`, false],
    [`{"geometry":${point},"properties":{"a":1},"type":"Feature"}\n`, false],
    [`{"type":"Feature","properties":{"a":"${'x'.repeat(9000)}"},"geometry":null}\n`, false],
    [`\u001e{"type":"FeatureCollection","features":[]}\n`, false],
    [`{"type":"FeatureCollection","features":[${feature}]}`, true],
    [`{ "name": "a", "features": [${feature}], "type": "FeatureCollection" }`, true],
    ['\u001f\u008b\u0008', true],
    ['PK\u0003\u0004', true],
    ['', false],
  ];
  for (const [text, isMarked] of marks) {
    const bytes = Buffer.from(text, text.startsWith('\u001f') ? 'latin1' : 'utf8');
    assert.equal(hasEndMark(bytes.subarray(0, HEAD_BYTES)), isMarked, text.slice(0, 60));
  }
});
