/**
 * Damage inside the members of a shapefile, which the CRC of a zip would hide: each loose file, truncated at many
 * lengths and with seeded byte changes, is rejected with a code of the user's fault or read with all features that were
 * counted.
 */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { reader } from '../../packages/formats/src/shp/read.ts';
import { withSegment } from '../../packages/io/src/file-segment.ts';
import { UnpackBudget } from '../../packages/io/src/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '../../packages/io/src/zip-read.ts';
import { makeWorkspace } from '../support/convert.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { DEFAULT_INPUT_LIMITS } from '../support/limits.ts';
import { readFileLayers } from '../support/read-layers.ts';

const CUTS = 40;
const CHANGES = 150;
/** Of processor time of this thread, a hundred times what a case takes. */
const CASE_LIMIT_MS = 2000;

/** Writes the members of a fixture as files `x.shp`, `x.dbf`, ... to the directory. */
async function unpack(zipPath: string, directory: string): Promise<Map<string, Uint8Array>> {
  const members = new Map<string, Uint8Array>();
  mkdirSync(directory, { recursive: true });
  const entries = await readZipDirectory(zipPath, 'fixture', new UnpackBudget(DEFAULT_INPUT_LIMITS));
  for (const entry of entries) {
    const ending = /\.(shp|shx|dbf|prj|cpg)$/i.exec(entry.name)?.[1].toLowerCase();
    if (ending === undefined || members.has(ending)) continue;
    const segment = await unpackEntry(zipPath, entry, 'fixture', join(directory, `${ending}.member`));
    members.set(
      ending,
      withSegment(segment, (source) => source.slice(0, source.byteLength)),
    );
    if (segment.path !== zipPath) renameSync(segment.path, join(directory, `x.${ending}`));
    else writeFileSync(join(directory, `x.${ending}`), members.get(ending) as Uint8Array);
  }
  return members;
}

async function readDamaged(path: string, what: string): Promise<void> {
  const before = process.threadCpuUsage();
  try {
    const { layers } = await readFileLayers(reader, path);
    for (const { rows, source } of layers) assert.ok(rows.length <= (source.featureCount ?? 0), what);
  } catch (error) {
    assert.ok(error instanceof GeomillError && error.fault === 'user', `${what}: ${(error as Error).stack}`);
  }
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < CASE_LIMIT_MS * 1000, `${what} took too long`);
}

for (const fixture of fixturesOf('shp')) {
  test(`rejects damaged members of ${fixture.name} with a code or reads them`, async () => {
    using workspace = makeWorkspace();
    const members = await unpack(fixture.path, workspace.path);
    const path = join(workspace.path, 'x.shp');
    if (!members.has('shp')) return;
    let seed = 12_345;
    const random = (limit: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (seed >> 8) % limit;
    };
    for (const ending of ['shp', 'shx', 'dbf']) {
      const whole = members.get(ending);
      if (whole === undefined) continue;
      const file = join(workspace.path, `x.${ending}`);
      for (let i = 0; i < CUTS; i++) {
        const length = Math.floor((whole.length * i) / CUTS);
        writeFileSync(file, whole.subarray(0, length));
        await readDamaged(path, `.${ending} cut at ${length}`);
      }
      for (let i = 0; i < CHANGES; i++) {
        const damaged = whole.slice();
        const offset = random(damaged.length);
        damaged[offset] = i % 2 === 0 ? random(256) : damaged[offset] ^ (1 << random(8));
        writeFileSync(file, damaged);
        await readDamaged(path, `.${ending} with byte ${offset} = ${damaged[offset]}`);
      }
      writeFileSync(file, whole);
    }
  });
}
