/** What many conversions of one process leave in it, and how fast an abort ends one. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { convert, GeomillError } from '../src/library.ts';

const work = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
const skip = process.platform === 'linux' ? false : 'counts descriptors and threads in /proc';

test('1000 conversions leave no memory, descriptors and threads', { skip }, async () => {
  const job = { input: HARBOUR, output: { format: 'gpkg', crs: 'EPSG:25832' } } as const;
  const repeat = async (count: number): Promise<readonly number[]> => {
    for (let i = 0; i < count; i++) await convert(job, { temporaryDirectory: work });
    collect();
    const held = ['fd', 'task'].map((name) => readdirSync(`/proc/self/${name}`).length);
    return [process.memoryUsage().heapUsed, ...held];
  };
  const [heapBefore, ...before] = await repeat(200);
  const [heapAfter, ...afterwards] = await repeat(800);
  assert.ok(heapAfter < heapBefore + 2e6, `the heap grew from ${heapBefore} to ${heapAfter} bytes`);
  assert.ok(
    afterwards.every((count, i) => count <= before[i] + 2),
    `${before} became ${afterwards}`,
  );
  assert.deepEqual(readdirSync(work), []);
});

for (const threads of [1, 2])
  test(`an abort ends a conversion in ${threads} threads and leaves nothing`, async () => {
    const path = join(work, 'large.geojsonl');
    const line = (i: number): string =>
      `{"type":"Feature","properties":{"i":${i}},"geometry":{"type":"Point","coordinates":[${i / 1e4},50]}}\n`;
    writeFileSync(path, Array.from({ length: 200_000 }, (_, i) => line(i)).join(''));
    const abort = new AbortController();
    let abortedAt = 0;
    const running = convert(
      {
        input: path,
        steps: [{ type: 'buffer', params: { distance: 1, units: 'meters' } }],
        output: { path: join(work, 'large.gpkg'), crs: 'EPSG:3857' },
      },
      {
        ...{ threads, temporaryDirectory: work, signal: abort.signal },
        onProgress({ fraction }) {
          if (fraction < 0.2 || abort.signal.aborted) return;
          abortedAt = process.cpuUsage().user;
          abort.abort();
        },
      },
    );
    await assert.rejects(running, (error) => error instanceof GeomillError && error.code === 'CANCELLED');
    // CPU of the process, which does not depend on what else the machine does.
    assert.ok((process.cpuUsage().user - abortedAt) / 1000 < 200 * threads);
    assert.deepEqual(readdirSync(work), ['large.geojsonl']);
  });
