import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { batchArbitrary } from '../../../test/support/geometry-arbitrary.ts';
import { batchBuffers, type FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { batchStatistics, emptyStatistics, mergeStatistics } from '../../core/src/columns/statistics.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { isOutputFormat } from '../src/format.ts';
import { validateOptions } from '../src/options.ts';
import { formats } from '../src/registry.ts';
import type { FormatWriter, LayerEncoding } from '../src/writer.ts';

/** Formats whose writers free values or positions before the last byte is encoded. */
const FREEING = ['csv', 'esrijson', 'flatgeobuf', 'geojson', 'gpkg', 'kml'];

function planned(writer: FormatWriter, batch: FeatureBatch, options: object): LayerEncoding {
  const statistics = emptyStatistics();
  mergeStatistics(statistics, batchStatistics(batch, 'all'), 'json');
  const { fields } = batch;
  const layer = { name: 'x', fields, statistics, crs: WGS84_DESCRIPTION, coordinatesComputed: false };
  const context = { name: 'x', options: { ...options }, findings: new Findings() };
  return writer.plan([layer], context)[0];
}

for (const format of formats.filter(isOutputFormat)) {
  test(`${format.id}: a batch that may be freed is encoded as one that is kept`, async () => {
    const writer = await format.loadWriter();
    const options = validateOptions(format.writeOptions, {}, 'output');
    let freed = 0;
    fc.assert(
      fc.property(batchArbitrary, (batch) => {
        const encoding = planned(writer, batch, options);
        // Buffers have an unused rest, whose content means nothing.
        const encoded = (own: FeatureBatch, isSpent: boolean): object => {
          const { data, findings } = structuredClone(writer.encode(own, encoding, isSpent));
          return { data, findings };
        };
        const expected = encoded(structuredClone(batch), false);
        const spent = structuredClone(batch);
        assert.deepEqual(encoded(spent, true), expected);
        freed += batchBuffers(spent).filter(({ detached }) => detached).length;
        const kept = structuredClone(batch);
        writer.encode(kept, encoding);
        assert.deepEqual(kept, batch);
      }),
      { numRuns: 20 },
    );
    assert.equal(freed > 0, FREEING.includes(format.id));
  });
}
