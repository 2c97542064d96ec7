/** Two runs with a stated time give the same bytes, in every format, however much later the second one is. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { OutputFormat } from '../../packages/formats/src/format.ts';
import { outputFormats } from '../../packages/formats/src/registry.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../support/convert.ts';

const feature = (i: number) => ({
  type: 'Feature',
  properties: { name: `place ${i}`, rank: i, share: i / 3, kind: i % 2 === 0 ? 'a' : 'b' },
  geometry: { type: 'Point', coordinates: [8 + i / 100, 49 + (i % 7) / 100] },
});
const INPUT = JSON.stringify({ type: 'FeatureCollection', features: Array.from({ length: 40 }, (_, i) => feature(i)) }); // biome-ignore format: one line
const TIME = Date.UTC(2020, 1, 29, 12, 34, 56);
const DAY = 86_400_000;

/** The output of a conversion at this time of the machine. */
async function outputAt(
  context: TestContext,
  now: number,
  options: Partial<ConvertOptions> & { readonly to: string },
): Promise<Buffer> {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  writeFileSync(input, INPUT);
  context.mock.timers.enable({ apis: ['Date'], now });
  try {
    const { outputPath } = await convertFile(input, join(workspace.path, 'work'), { from: 'geojson', threads: 1, ...options }); // biome-ignore format: one line
    return readFileSync(outputPath);
  } finally {
    context.mock.timers.reset();
  }
}

async function assertSame(
  context: TestContext,
  options: Partial<ConvertOptions> & { readonly to: string },
): Promise<Buffer> {
  // biome-ignore format: one line
  const first = await outputAt(context, Date.UTC(2026, 0, 1), options);
  const second = await outputAt(context, Date.UTC(2026, 0, 1) + 400 * DAY, options);
  assert.ok(first.equals(second), `${options.to} differs at byte ${first.findIndex((byte, i) => byte !== second[i])}`); // biome-ignore format: one line
  return first;
}

const ARCHIVE = Buffer.from('PK\x03\x04', 'latin1');
/** Date and time of the first entry of an archive, as in its header. */
const entryTime = (bytes: Buffer): number => bytes.readUInt32LE(10);

for (const { id } of outputFormats as readonly OutputFormat[]) {
  test(`${id}: the same bytes with a stated time`, async (context) => {
    const bytes = await assertSame(context, { to: id, timeMs: TIME });
    if (bytes.subarray(0, 4).equals(ARCHIVE))
      assert.equal(
        entryTime(bytes),
        (((40 << 9) | (2 << 5) | 29) << 16) | (12 << 11) | (34 << 5) | (56 >> 1),
      );
  });

  test(`${id}: the same bytes of the files of a split output with a stated time`, async (context) => {
    await assertSame(context, { to: id, timeMs: TIME, split: { field: 'kind', into: 'files' } as never });
  });
}

test('entries of archives have a fixed time without a stated one', async (context) => {
  for (const to of ['kml', 'xlsx'])
    await assertSame(context, { to, ...(to === 'kml' ? { writeOptions: { kmz: true } } : {}) });
  const shapefile = await outputAt(context, Date.UTC(2026, 5, 5), { to: 'shp' });
  assert.equal(entryTime(shapefile), ((1 << 5) | 1) << 16);
});

test('a time before that of the first archive is the first one that an archive can state', async (context) => {
  const bytes = await outputAt(context, Date.UTC(2026, 5, 5), { to: 'shp', timeMs: 0 });
  assert.equal(entryTime(bytes), ((1 << 5) | 1) << 16);
});
