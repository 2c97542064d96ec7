/** Archives are unpacked set by set, and take no more room than there is. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import yazl from 'yazl';
import { combineFiles, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS as LIMITS } from '../../../test/support/limits.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { ScratchSpace, type UnpackedSet } from '../../io/src/scratch-space.ts';
import { UnpackBudget } from '../../io/src/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '../../io/src/zip-read.ts';
import { reader } from '../src/shp/read.ts';

const HARBOUR = fileURLToPath(new URL('../../../samples/harbour.zip', import.meta.url));

function setsIn(directory: string, count: number, bytes: number): { sets: UnpackedSet[]; unpacks: number[] } {
  const unpacks = Array.from({ length: count }, () => 0);
  const sets = unpacks.map((_, i): UnpackedSet => {
    const own = join(directory, `set${i}`);
    return {
      directory: own,
      byteLength: bytes,
      async unpack() {
        unpacks[i]++;
        writeFileSync(join(own, 'part'), new Uint8Array(bytes), { flag: 'wx' });
      },
    };
  });
  return { sets, unpacks };
}

const present = (directory: string): number => readdirSync(directory).length;

test('keeps sets that fit, and unpacks the others when they are held', async () => {
  using workspace = makeWorkspace();
  const { sets, unpacks } = setsIn(workspace.path, 10, 100);
  const space = new ScratchSpace(300);
  for (let pass = 0; pass < 3; pass++)
    for (const set of sets) {
      await space.hold(set);
      assert.ok(existsSync(join(set.directory, 'part')));
      assert.ok(present(workspace.path) <= 3, `${present(workspace.path)} sets are there`);
      space.release(set);
    }
  // The first two stay; the room for the third changes hands.
  assert.deepEqual(unpacks.slice(0, 2), [1, 1]);
  assert.deepEqual(unpacks.slice(3, 9), [3, 3, 3, 3, 3, 3]);
});

test('never removes a held set, however little space there is', async () => {
  using workspace = makeWorkspace();
  const { sets, unpacks } = setsIn(workspace.path, 5, 100);
  const space = new ScratchSpace(0);
  await Promise.all([...sets, ...sets].map((set) => space.hold(set)));
  for (const set of sets) space.release(set);
  assert.equal(present(workspace.path), 5);
  for (const set of sets) space.release(set);
  const { sets: others } = setsIn(workspace.path, 6, 1);
  await space.hold(others[5]);
  assert.equal(present(workspace.path), 1);
  assert.deepEqual(unpacks, [1, 1, 1, 1, 1]);
});

test('reports a failed unpacking to all waiting holders of a set', async () => {
  using workspace = makeWorkspace();
  const space = new ScratchSpace();
  const broken: UnpackedSet = {
    directory: join(workspace.path, 'broken'),
    byteLength: 1,
    unpack: () => Promise.reject(new Error('damaged')),
  };
  const { sets } = setsIn(workspace.path, 1, 1);
  const waiting = [space.hold(broken), space.hold(broken), space.hold(sets[0])];
  const outcomes = await Promise.allSettled(waiting);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});

/** An archive with copies of the harbour's shapefile. */
async function writeCopies(path: string, directory: string, count: number): Promise<void> {
  const entries = await readZipDirectory(HARBOUR, 'harbour', new UnpackBudget(LIMITS));
  const zip = new yazl.ZipFile();
  for (const [i, entry] of entries.entries()) {
    const segment = await unpackEntry(HARBOUR, entry, 'harbour', join(directory, `member${i}`));
    const bytes = readFileSync(segment.path).subarray(segment.start, segment.start + segment.byteLength);
    for (let copy = 0; copy < count; copy++) zip.addBuffer(bytes, `copy${copy}/${copy}${entry.name}`);
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  writeFileSync(path, Buffer.concat(chunks));
}

test('reads every layer of an archive of many shapefiles with space for one', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'many.zip');
  await writeCopies(path, workspace.path, 6);
  const scratch = new ScratchSpace(1);
  const context = {
    scratchDirectory: workspace.path,
    limits: LIMITS,
    options: {},
    findings: new Findings(),
    partitionBytes: 1 << 20,
    scratch,
  };
  const layers = await reader.open({ path, name: 'many.zip' }, context);
  assert.ok(layers.length >= 6);
  const root = workspace.entries().find((name) => /^shp-[^/]*$/.test(name)) ?? '';
  const unpacked = (): number =>
    readdirSync(join(workspace.path, root)).filter((name) =>
      statSync(join(workspace.path, root, name)).isDirectory(),
    ).length;
  assert.equal(unpacked(), 1);
  for (let pass = 0; pass < 2; pass++)
    for (const layer of layers) {
      const set = reader.unpackedSet?.(layer) as UnpackedSet;
      await scratch.hold(set);
      const { batch } = reader.readPartition(layer, layer.partitions[0], { fields: null, limits: LIMITS });
      assert.ok(batch.rowCount > 0);
      assert.equal(unpacked(), 1);
      scratch.release(set);
    }
});

test('converts and merges an archive of many shapefiles', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'many.zip');
  await writeCopies(path, workspace.path, 12);
  const one = await convertFile(HARBOUR, workspace.path, { from: 'shp', to: 'geojson', outputName: 'one' });
  const options = { from: 'shp', to: 'geojson' } as const;
  for (const threads of [1, 2]) {
    const many = await convertFile(path, workspace.path, {
      ...options,
      threads,
      outputName: `many${threads}`,
    });
    assert.equal(many.report.features.written, 12 * one.report.features.written);
    const merge = { ...options, operation: 'merge', threads, outputName: `merged${threads}` } as const;
    const merged = await combineFiles([path, path], workspace.path, merge);
    assert.equal(merged.report.features.written, 24 * one.report.features.written);
  }
});

test('counts the unpacked bytes of all archives of a job', async () => {
  using workspace = makeWorkspace();
  const entries = await readZipDirectory(HARBOUR, 'harbour', new UnpackBudget(LIMITS));
  const unzippedBytes = entries.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0);
  const options = { from: 'shp', to: 'geojson', limits: { ...LIMITS, unzippedBytes } };
  await convertFile(HARBOUR, workspace.path, options);
  await assert.rejects(
    combineFiles([HARBOUR, HARBOUR], workspace.path, { ...options, operation: 'merge', outputName: 'two' }),
    { code: 'LIMIT_EXCEEDED', message: /MAX_UNZIPPED/ },
  );
});
