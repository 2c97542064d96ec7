/**
 * Every format as input and as output: accepted by one process, run by another and fetched from a third, over S3, with the bytes of
 * one machine. With TEST_EXHAUSTIVE=1 every pair, and every fixture of the conformance suite to every format, with report and errors.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillClient, type SubmitJobConfig } from '../../packages/client/src/client.ts';
import { inputFormats, outputFormats } from '../../packages/formats/src/registry.ts';
import { fingerprint } from '../faults/jobs.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { IS_EXHAUSTIVE, onlyExhaustive } from '../support/exhaustive.ts';
import { allFixtures, crsFor } from '../support/fixtures.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startProcesses } from './processes.ts';
import { ended, facts } from './split-service.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const CRS = 'EPSG:25832';

/** Works on all items, two at a time. */
async function forEach<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all([work(), work()]);
}

test('a job of any formats gives the same bytes as on one machine', { skip }, async () => {
  await using cluster = await startProcesses({ apis: 2, workers: 2, store: 's3' });
  const [first, second] = cluster.apis;
  const pairs = inputFormats.flatMap(({ id: from, inputCrs, sample }, i) =>
    outputFormats
      .map(({ id: to }) => ({ from, to, inputCrs, name: sample }))
      // Two or three of each format.
      .filter((_, k) => IS_EXHAUSTIVE || (k + i) % Math.ceil(outputFormats.length / 3) === 0),
  );
  await forEach(pairs, async ({ from, to, inputCrs, name }) => {
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
  });
});

for (const { id: from } of inputFormats)
  test(`every fixture of ${from} gives the bytes, report and errors of one machine in every format`, {
    skip: skip || onlyExhaustive,
  }, async (context) => {
    await using cluster = await startProcesses({ apis: 2, workers: 2, store: 's3' });
    await using alone = await startServerProcess({ RATE_LIMIT: '0' });
    const single = new GeomillClient({ baseUrl: alone.url });
    const [first, second] = cluster.apis;
    const pairs = allFixtures()
      .filter(({ format }) => format === from)
      .flatMap((fixture) => outputFormats.map(({ id: to }) => ({ fixture, to })));
    let failed = 0;
    await forEach(pairs, async ({ fixture, to }) => {
      const { name, path } = fixture;
      const crs = crsFor(fixture);
      const config = {
        input: { format: from, ...(crs === null ? {} : { crs }) },
        output: { format: to },
      } as unknown as SubmitJobConfig;
      const input = { name, data: new Blob([readFileSync(path)]) };
      const [there, here] = await Promise.all([
        first.submit({ input, config }).then(({ id }) => ended(second, id)),
        single.submit({ input, config }).then(({ id }) => ended(single, id)),
      ]);
      const label = `${name} > ${to}`;
      assert.deepEqual(facts(there.job), facts(here.job), label);
      if (here.bytes === null || there.bytes === null) failed += 1;
      else assert.equal(await fingerprint(there.bytes), await fingerprint(here.bytes), label);
    });
    context.diagnostic(`${pairs.length} pairs, ${failed} of them with the same error`);
  });
