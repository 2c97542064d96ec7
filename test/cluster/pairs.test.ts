/** Every pair of formats: accepted by one process, run by another and fetched from a third, over S3, with the bytes of the command line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { inputFormats, outputFormats } from '../../src/formats/registry.ts';
import { fingerprint } from '../faults/jobs.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import { startProcesses } from './processes.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const CRS = 'EPSG:25832';

test('a job of any formats gives the same bytes as on one machine', { skip }, async () => {
  await using cluster = await startProcesses({ apis: 2, workers: 2, store: 's3' });
  const [first, second] = cluster.apis;
  const pairs = inputFormats.flatMap(({ id: from, inputCrs, extensions }) =>
    outputFormats.map(({ id: to }) => ({ from, to, inputCrs, name: `harbour${extensions[0]}` })),
  );
  const work = async (): Promise<void> => {
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      const { from, to, inputCrs, name } = pair;
      const stated = inputCrs === 'request' ? CRS : null;
      using workspace = makeWorkspace();
      const expected = await convertFile(join(SAMPLES, name), workspace.path, {
        from,
        to,
        fromCrs: stated,
        outputName: 'harbour',
      });
      const data = new Blob([readFileSync(join(SAMPLES, name))]);
      const config = {
        input: { format: from, ...(stated === null ? {} : { crs: stated }) },
        output: { format: to },
      };
      const { id } = await first.submit({ input: { name, data }, config: config as never });
      const job = second.job(id);
      await job.wait();
      const output = Buffer.from(await (await job.download()).bytes());
      assert.equal(
        await fingerprint(output),
        await fingerprint(readFileSync(expected.outputPath)),
        `${from} > ${to}`,
      );
    }
  };
  await Promise.all([work(), work()]);
});
