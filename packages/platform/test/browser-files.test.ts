/** The files of a worker against those of the system: the same random operations have the same results, with little memory and a swap file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { seededRandom } from '../../../bench/data.ts';
import { BLOCK, BlockStore, type SwapFile } from '../src/browser/block-store.ts';
import { FileSystem } from '../src/browser/file-system.ts';
import * as ours from '../src/browser/files.ts';
import { startFiles, TEMPORARY, usedBlocks } from '../src/browser/worker-files.ts';
import * as systems from '../src/node/files.ts';

/** A swap file in memory; `capacity` in bytes. */
function memorySwap(capacity = Number.POSITIVE_INFINITY): SwapFile & { bytes: Uint8Array<ArrayBuffer> } {
  return {
    bytes: new Uint8Array(0),
    read(target, { at }) {
      const part = this.bytes.subarray(at, at + target.length);
      target.set(part);
      return part.length;
    },
    write(source, { at }) {
      if (at + source.length > capacity) throw new DOMException('full', 'QuotaExceededError');
      const end = Math.max(this.bytes.length, at + source.length);
      const grown = new Uint8Array(end);
      grown.set(this.bytes);
      grown.set(source, at);
      this.bytes = grown;
      return source.length;
    },
    truncate(size) {
      this.bytes = this.bytes.slice(0, size);
    },
  };
}

const swap = memorySwap();
startFiles({
  swap,
  memoryBlocks: 2,
  readBlob: () => {
    throw new Error('no Blob is mounted');
  },
});

type Files = typeof systems;

/** What a call gives: its value, or the code of its error. */
function outcome(call: () => unknown): unknown {
  try {
    const value = call();
    return Array.isArray(value) ? value.toSorted() : value;
  } catch (error) {
    return `fails: ${(error as { code?: string }).code}`;
  }
}

test('random operations have the results of the system', () => {
  const root = mkdtempSync(join(tmpdir(), 'geomill-files-'));
  const random = seededRandom(20);
  const pick = (count: number): number => Math.floor(random() * count);
  const sides = [
    { files: systems, root, open: [] as number[] },
    { files: ours as unknown as Files, root: TEMPORARY, open: [] as number[] },
  ];
  const both = (
    what: string,
    act: (files: Files, path: (name: string) => string, open: number[]) => unknown,
  ): unknown => {
    const [expected, found] = sides.map(({ files, root: folder, open }) =>
      outcome(() => act(files, (name) => join(folder, name), open)),
    );
    assert.deepEqual(found, expected, what);
    return found;
  };
  try {
    const names = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/f', 'missing/x'];
    for (let step = 0; step < 1500; step++) {
      const name = names[pick(names.length)];
      const other = names[pick(names.length)];
      const at = pick(4) === 0 ? BLOCK - 50 + pick(100) : pick(3 * BLOCK);
      const bytes = new Uint8Array(pick(5) === 0 ? BLOCK + pick(1000) : pick(200)).map((_, i) => i + step);
      const which = pick(3);
      switch (pick(11)) {
        case 0:
          both(`create ${name}`, (files, path, open) => {
            open.push(files.createFile(path(name), which === 0));
          });
          break;
        case 1:
          both(`open ${name}`, (files, path, open) => {
            // Linux opens directories, which cannot be read then.
            if (files.fileFacts(path(name))?.isFile === false) return;
            open.push(which === 0 ? files.openToRead(path(name)) : files.openToChange(path(name)));
          });
          break;
        case 2:
        case 3:
        case 4:
          both('write', (files, _, open) => {
            if (open.length > 0) files.writeFileAt(open[which % open.length], bytes, at);
          });
          break;
        case 5:
          both('read', (files, _, open) => {
            if (open.length === 0) return null;
            const target = new Uint8Array(500);
            const count = files.readFileAt(open[which % open.length], target, at, 3, 400);
            return [count, files.openFileSize(open[which % open.length]), ...target];
          });
          break;
        case 6:
          both('close', (files, _, open) => {
            if (open.length > 0) files.closeFile(open.splice(which % open.length, 1)[0]);
          });
          break;
        case 7:
          both(`directory ${name}`, (files, path) => files.makeDirectory(path(name)));
          break;
        case 8:
          both(`names in ${name}`, (files, path) => files.namesIn(path(name)));
          break;
        case 9:
          both(`facts of ${name}`, (files, path) => {
            const facts = files.fileFacts(path(name));
            return facts?.isFile === true ? [facts.size, ...files.fileBytes(path(name)).subarray(0, 64)] : facts?.isFile; // biome-ignore format: one line
          });
          break;
        default:
          both(`remove ${name}`, (files, path) => files.removeDirectory(path(name)));
          if (which === 0) both(`new ${other}`, (files, path) => files.writeNewFile(path(other), 'täxt'));
      }
    }
    for (const { files, open } of sides) for (const handle of open) files.closeFile(handle);
  } finally {
    rmSync(root, { recursive: true, force: true });
    ours.removeDirectory(TEMPORARY);
  }
  assert.deepEqual(usedBlocks(), { resident: 0, swapped: 0 }, 'everything is given back');
  assert.equal(swap.bytes.length, 0);
});

test('a Blob is read in blocks, and cannot be changed', () => {
  const content = new Uint8Array(2 * BLOCK + 10).map((_, i) => i >> 8);
  let reads = 0;
  const files = new FileSystem(new BlockStore(null, 2), (_, start, end) => {
    reads++;
    return content.slice(start, end);
  });
  files.mount('/in', { size: content.length } as Blob);
  const handle = files.openToRead('/in');
  const target = new Uint8Array(20);
  assert.equal(files.readAt(handle, target, 2 * BLOCK - 10), 20);
  assert.deepEqual(target, content.slice(2 * BLOCK - 10, 2 * BLOCK + 10));
  assert.equal(files.readAt(handle, target, 2 * BLOCK), 10);
  assert.equal(reads, 2, 'each block once');
  assert.throws(() => files.openToChange('/in'), { code: 'EACCES' });
  assert.throws(() => files.writeAt(handle, target, 0), { code: 'EBADF' });
});

test('a full disk is ENOSPC, and what was written before stays', () => {
  const files = new FileSystem(new BlockStore(memorySwap(3 * BLOCK), 2), () => new Uint8Array(0));
  const handle = files.create('/a');
  const write = (block: number): void =>
    files.writeAt(handle, new Uint8Array(BLOCK).fill(block), block * BLOCK);
  assert.throws(
    () => {
      for (let block = 0; block < 20; block++) write(block);
    },
    { code: 'ENOSPC' },
  );
  const first = new Uint8Array(1);
  for (const block of [0, 1, 2, 3]) {
    files.readAt(handle, first, block * BLOCK);
    assert.equal(first[0], block);
  }
});

test('a file that is open stays readable when it is removed', () => {
  const files = new FileSystem(new BlockStore(null, 2), () => new Uint8Array(0));
  const handle = files.create('/a');
  files.writeAt(handle, new Uint8Array([7]), 0);
  files.remove('/a');
  const byte = new Uint8Array(1);
  assert.equal(files.readAt(handle, byte, 0), 1);
  assert.equal(byte[0], 7);
  files.close(handle);
  assert.throws(() => files.readAt(handle, byte, 0), { code: 'EBADF' });
});
