/** GDAL reads the WKT and WKB that we write as the same geometry, and writes WKB that is ours byte by byte. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../packages/core/src/bytes/byte-writer.ts';
import { GeometryBuilder } from '../../packages/core/src/geometry/geometry-column.ts';
import { WkbReader } from '../../packages/core/src/geometry/wkb.ts';
import { WktReader } from '../../packages/core/src/geometry/wkt.ts';
import { geometriesArbitrary, geometryColumn } from '../support/geometry-arbitrary.ts';
import { geometryText } from '../support/rows.ts';
import { writeWkb } from '../support/wkb-write.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0;
const skip = hasGdal ? false : 'python3-gdal is not installed';
const SEED = 20_240_229;
const SAMPLES = 150;

test('GDAL and geomill agree on WKT and WKB', { skip }, () => {
  const lines: { readonly text: string; readonly hex: string }[] = [];
  for (const geometries of fc.sample(geometriesArbitrary, { seed: SEED, numRuns: SAMPLES })) {
    const column = geometryColumn(geometries);
    for (let row = 0; row < geometries.length; row++) {
      const text = geometryText(column, row);
      if (text === null) continue;
      const writer = new ByteWriter();
      writeWkb(writer, column, row);
      lines.push({ text, hex: Buffer.from(writer.written()).toString('hex') });
    }
  }
  assert.ok(lines.length > SAMPLES);
  const done = spawnSync(PYTHON, [join(import.meta.dirname, 'wkt_wkb.py')], {
    input: lines.map(({ text, hex }) => `${text}\t${hex}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(done.status, 0, done.stderr);
  const answers = done.stdout.trimEnd().split('\n');
  assert.equal(answers.length, lines.length);
  answers.forEach((answer, i) => {
    const [theirText, theirHex, same] = answer.split('\t');
    const { text, hex } = lines[i];
    assert.equal(same, 'True', `GDAL reads our WKT and our WKB apart: ${text}`);
    assert.equal(theirHex, hex, text);
    assert.equal(readWkb(theirHex), text);
    // GDAL writes 15 digits, so its text is only read, and compared in its form.
    assert.equal(formOf(readWkt(theirText)), formOf(text));
  });
});

function readWkt(text: string): string | null {
  const bytes = new TextEncoder().encode(text);
  const builder = new GeometryBuilder();
  new WktReader().read(bytes, 0, bytes.length, builder);
  return geometryText(builder.finish(), 0);
}

function readWkb(hex: string): string | null {
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'));
  const builder = new GeometryBuilder();
  new WkbReader().read(bytes, 0, bytes.length, builder);
  return geometryText(builder.finish(), 0);
}

/** The text with every number replaced. */
function formOf(text: string | null): string | undefined {
  return text?.replace(/-?\d[\d.]*(e[+-]?\d+)?/g, '1');
}
