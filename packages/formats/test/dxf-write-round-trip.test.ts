import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { lintDxf } from '../../../test/support/dxf/lint.ts';
import { batchArbitrary } from '../../../test/support/geometry-arbitrary.ts';
import { type ReadInput, readFileLayers } from '../../../test/support/read-layers.ts';
import { batchRows } from '../../../test/support/rows.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { WGS84_DESCRIPTION as crs } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/dxf/read.ts';
import { writer } from '../src/dxf/write.ts';

async function thereAndBack(
  batches: readonly FeatureBatch[],
  partitionBytes: number,
): Promise<{ readonly read: ReadInput; readonly bytes: Uint8Array }> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-dxf-'));
  try {
    const context = { name: 'out', options: {}, findings: new Findings() };
    const layer = { name: 'out', fields: null, statistics: null, crs, coordinatesComputed: false };
    const encodings = writer.plan([layer], context);
    const path = join(directory, 'out.dxf');
    const sink = writer.createSink(path, encodings, context);
    for (const batch of batches) sink.append(0, writer.encode(batch, encodings[0]).data);
    await sink.finish();
    return { read: await readFileLayers(reader, path, { partitionBytes }), bytes: readFileSync(path) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('features survive writing and reading a drawing, for any partition boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(batchArbitrary, fc.constantFrom(200, 3000, 1 << 20), async (batch, partitionBytes) => {
      const { read, bytes } = await thereAndBack([batch], partitionBytes);
      assert.deepEqual(lintDxf(bytes), []);
      const { types, partOffsets, ringOffsets, coordOffsets } = batch.geometry;
      const hasPosition = (row: number): boolean =>
        coordOffsets[ringOffsets[partOffsets[row]]] < coordOffsets[ringOffsets[partOffsets[row + 1]]];
      const expected = batchRows(batch).filter((_, row) => types[row] !== 0 && hasPosition(row));
      const rows = read.layers[0].rows;
      assert.equal(rows.length, expected.length);
      expected.forEach((row, i) => {
        // A drawing cannot hold measures and empty members.
        if (!/ (M|ZM) |EMPTY/.test(row.geometry ?? '')) assert.equal(rows[i].geometry, row.geometry);
        for (const [name, value] of Object.entries(row.properties))
          assert.deepEqual(rows[i].properties[name] ?? null, value, name);
      });
    }),
    { numRuns: 200 },
  );
});
