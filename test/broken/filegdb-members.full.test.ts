/**
 * Damage inside the tables of a geodatabase, which the CRC of a zip would hide: each file, truncated at many lengths and with seeded byte changes, is
 * rejected with a code of the user's fault or read.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { reader } from '../../packages/formats/src/filegdb/read.ts';
import { makeWorkspace } from '../support/convert.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { readFileLayers } from '../support/read-layers.ts';
import { readZipMembers } from '../support/zip-members.ts';

const [CUTS, CHANGES] = IS_EXHAUSTIVE ? [40, 400] : [4, 8];
/** Of processor time of this thread, a hundred times what a case takes. */
const CASE_LIMIT_MS = 4000;
/** Memory that a case may take beyond what the file has. */
const MEMORY_LIMIT_BYTES = 300 << 20;

async function readDamaged(path: string, what: string): Promise<void> {
  const before = process.threadCpuUsage();
  const memory = process.memoryUsage.rss();
  try {
    await readFileLayers(reader, path);
  } catch (error) {
    assert.ok(error instanceof GeomillError && error.fault === 'user', `${what}: ${(error as Error).stack}`);
  }
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < CASE_LIMIT_MS * 1000, `${what} took too long`);
  assert.ok(process.memoryUsage.rss() - memory < MEMORY_LIMIT_BYTES, `${what} took too much memory`);
}

for (const fixture of fixturesOf('filegdb')) {
  test(`rejects damaged tables of ${fixture.name} with a code or reads them`, async () => {
    using workspace = makeWorkspace();
    const folder = join(workspace.path, 'x.gdb');
    mkdirSync(folder);
    const members = await readZipMembers(readFileSync(fixture.path));
    for (const { name, bytes } of members) writeFileSync(join(folder, basename(name)), bytes);
    let seed = 12_345;
    const random = (limit: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (seed >> 8) % limit;
    };
    for (const { name, bytes: whole } of members.filter((one) => /\.gdbtablx?e?$/.test(one.name))) {
      const file = join(folder, basename(name));
      for (let i = 0; i < CUTS; i++) {
        const length = i < 3 ? i * 19 : random(whole.length);
        writeFileSync(file, whole.subarray(0, length));
        await readDamaged(folder, `${name} cut at ${length}`);
      }
      for (let i = 0; i < CHANGES; i++) {
        const damaged = Uint8Array.from(whole);
        // Half of the changes are in the head, where the counts and lengths are.
        const at = random(i % 2 === 0 ? Math.min(400, damaged.length) : damaged.length);
        const value = [0, 255, 127, 128, random(256)][random(5)];
        damaged[at] = value;
        writeFileSync(file, damaged);
        await readDamaged(folder, `byte ${at} of ${name} set to ${value}`);
      }
      writeFileSync(file, whole);
    }
  });
}
