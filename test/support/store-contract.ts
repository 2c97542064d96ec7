/** What every file store does, as a table of tests that run against each implementation: apps/service/test/store-contract.full.test.ts. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  type FileKind,
  type FileStore,
  inputKey,
  type ListedFile,
} from '../../apps/service/src/storage/store.ts';

/** Longer than two of the pieces in which stores keep large files, and no multiple of them. */
const LARGE = 2 * 16 * 1024 ** 2 + 12_345;

export interface ContractSubject {
  readonly store: FileStore;
  /** A store of another process on the same files, or the same one again. */
  readonly other: FileStore;
  /** A directory for local files. */
  readonly directory: string;
}

export interface StoreTest {
  readonly name: string;
  /** Only for stores that several processes write. */
  readonly shared?: true;
  readonly run: (subject: ContractSubject) => Promise<void>;
}

export async function listed(store: FileStore, kind: FileKind): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for await (const file of store.list(kind)) files.push(file);
  return files;
}

async function keysOf(store: FileStore, kind: FileKind): Promise<string[]> {
  return [...new Set((await listed(store, kind)).map(({ key }) => key))].sort();
}

/** Receives an input in pieces of 100 kB. */
export async function putInput(store: FileStore, key: string, bytes: Uint8Array): Promise<void> {
  const upload = await store.receive(key);
  for (let at = 0; at < bytes.length; at += 100_000) await upload.write(bytes.subarray(at, at + 100_000));
  assert.equal(upload.byteLength, bytes.length);
  await upload.keep();
}

async function inputBytes({ store, directory }: ContractSubject, key: string): Promise<Buffer> {
  const path = join(directory, randomUUID());
  await store.provide(key, path);
  return readFileSync(path);
}

async function adopt(
  { store, directory }: ContractSubject,
  jobId: string,
  attempt: number,
  bytes: Uint8Array,
  findingsBytes = 0,
): Promise<void> {
  const path = join(directory, randomUUID());
  writeFileSync(path, bytes);
  assert.equal((await store.adopt(jobId, attempt, path, findingsBytes)).byteLength, bytes.length);
}

export async function outputBytes(
  store: FileStore,
  jobId: string,
  attempt: number,
  start: number,
  end: number,
): Promise<Buffer | null> {
  const file = await store.openOutput(jobId, attempt);
  return file === null ? null : buffer(file.stream(start, end));
}

/** An upload whose recorded state a test keeps, as UploadRecords does. */
class Recorded {
  readonly key = randomUUID();
  offset = 0;
  place: string | null = null;

  /** Writes `bytes` in steps of at most `step` bytes that are recorded one by one. */
  async append(store: FileStore, bytes: Uint8Array, step: number): Promise<void> {
    const file = await store.continueUpload(this.key, this.offset, this.place);
    for (let at = 0; at < bytes.length; at += step) {
      const piece = bytes.subarray(at, at + step);
      for (let from = 0; from < piece.length; from += 64 * 1024)
        await file.write(piece.subarray(from, from + 64 * 1024));
      this.place = await file.sync();
      this.offset += piece.length;
      file.recorded();
    }
    file.close();
  }

  get shared(): { key: string; byteLength: number; place: string | null } {
    return { key: this.key, byteLength: this.offset, place: this.place };
  }
}

export const STORE_TESTS: readonly StoreTest[] = [
  {
    name: 'an input is provided as it was received, however long it is, and is there until it is removed',
    async run(subject) {
      const { store, other } = subject;
      for (const length of [1, 99_999, LARGE]) {
        const bytes = randomBytes(length);
        const key = inputKey(randomUUID(), length === 1 ? 3 : 0);
        await putInput(store, key, bytes);
        assert.ok((await inputBytes({ ...subject, store: other }, key)).equals(bytes), `${length} bytes`);
        assert.deepEqual(await keysOf(other, 'input'), [key]);
        await other.remove('input', key);
        await store.remove('input', key);
        assert.deepEqual(await keysOf(store, 'input'), []);
        await assert.rejects(inputBytes(subject, key));
      }
    },
  },
  {
    name: 'a provided input can only be read, and only by its owner',
    async run(subject) {
      const key = randomUUID();
      await putInput(subject.store, key, Buffer.from('input'));
      const path = join(subject.directory, randomUUID());
      await subject.store.provide(key, path);
      assert.equal(statSync(path).mode & 0o777, 0o400);
    },
  },
  {
    name: 'an input that is discarded while or after it is received leaves nothing, also twice',
    async run({ store }) {
      for (const length of [10, LARGE]) {
        const dropped = await store.receive(randomUUID());
        await dropped.write(randomBytes(length));
        await dropped.discard();
        await dropped.discard();
        const kept = await store.receive(randomUUID());
        await kept.write(randomBytes(10));
        await kept.keep();
        await kept.discard();
        assert.deepEqual(await listed(store, 'input'), []);
      }
    },
  },
  {
    name: 'the caller may reuse the buffers that it wrote',
    async run(subject) {
      const key = randomUUID();
      const upload = await subject.store.receive(key);
      const recorded = new Recorded();
      const file = await subject.store.continueUpload(recorded.key, 0, null);
      const piece = Buffer.alloc(3);
      for (const text of ['abc', 'def']) {
        piece.write(text);
        await upload.write(piece);
        await file.write(piece);
      }
      piece.fill(0);
      await upload.keep();
      const place = await file.sync();
      file.close();
      assert.equal(String(await inputBytes(subject, key)), 'abcdef');
      const copy = randomUUID();
      assert.ok(await subject.store.shareUpload({ key: recorded.key, byteLength: 6, place }, copy));
      assert.equal(String(await inputBytes(subject, copy)), 'abcdef');
    },
  },
  {
    name: 'an output is what the runner wrote, in any range, and findings follow it',
    async run(subject) {
      const { store, other } = subject;
      const bytes = randomBytes(LARGE);
      const id = randomUUID();
      await adopt(subject, id, 1, bytes, 12_345);
      const body = LARGE - 12_345;
      for (const [start, end] of [
        [0, LARGE],
        [0, 1],
        [5, 100_000],
        [body - 3, body],
        [body - 3, body + 3],
        [body, LARGE],
        [LARGE - 1, LARGE],
      ]) {
        const found = await outputBytes(other, id, 1, start, end);
        assert.ok(found?.equals(bytes.subarray(start, end)), `${start} to ${end}`);
      }
      await store.remove('output', id);
      assert.equal(await store.openOutput(id, 1), null);
      assert.deepEqual(await listed(store, 'output'), []);
    },
  },
  {
    name: 'an empty output is an output',
    async run(subject) {
      const id = randomUUID();
      await adopt(subject, id, 1, Buffer.alloc(0));
      const file = await subject.store.openOutput(id, 1);
      assert.ok(file);
      await file.close();
    },
  },
  {
    name: 'what is no file, and an output that is shorter than its findings, is no output',
    async run({ store, directory }) {
      const path = join(directory, 'short');
      writeFileSync(path, 'ab');
      await assert.rejects(store.adopt(randomUUID(), 1, path, 3), { code: 'INTERNAL' });
      mkdirSync(join(directory, 'folder'));
      await assert.rejects(store.adopt(randomUUID(), 1, join(directory, 'folder'), 0), { code: 'INTERNAL' });
      assert.deepEqual(await listed(store, 'output'), []);
    },
  },
  {
    name: 'an output stays readable for who began to read it',
    async run(subject) {
      const bytes = randomBytes(3_000_000);
      const id = randomUUID();
      await adopt(subject, id, 1, bytes);
      const file = await subject.store.openOutput(id, 1);
      const stream = file?.stream(0, bytes.length);
      assert.ok(stream);
      const chunks = stream[Symbol.asyncIterator]();
      const parts: Buffer[] = [(await chunks.next()).value];
      await subject.store.remove('output', id);
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) parts.push(next.value);
      assert.ok(Buffer.concat(parts).equals(bytes));
    },
  },
  {
    name: 'attempts do not replace each other, whoever is last',
    shared: true,
    async run(subject) {
      const { store, other } = subject;
      const id = randomUUID();
      await adopt({ ...subject, store: other }, id, 2, Buffer.from('current'));
      // Paused until now.
      await adopt(subject, id, 1, Buffer.from('zombie'));
      assert.equal(String(await outputBytes(store, id, 2, 0, 7)), 'current');
      assert.deepEqual((await listed(store, 'output')).map(({ attempt }) => attempt).sort(), [1, 2]);
      await store.remove('output', id, 1);
      assert.deepEqual(
        (await listed(other, 'output')).map(({ key, attempt }) => [key, attempt]),
        [[id, 2]],
      );
      assert.equal(String(await outputBytes(store, id, 2, 0, 7)), 'current');
    },
  },
  {
    name: 'an upload grows in steps of any size, from any process, and becomes an input',
    async run(subject) {
      const { store, other } = subject;
      const uploads = [
        [16, 1],
        [70_000, 999],
        [LARGE, LARGE],
        [LARGE, 5_000_001],
        [2 * 16 * 1024 ** 2, 16 * 1024 ** 2],
      ] as const;
      for (const [length, step] of uploads) {
        const bytes = randomBytes(length);
        const upload = new Recorded();
        const half = Math.floor(length / 2);
        await upload.append(store, bytes.subarray(0, half), step);
        await upload.append(other, bytes.subarray(half), step);
        assert.equal(await store.uploadLength(upload.key, upload.offset, upload.place), length);
        const key = inputKey(randomUUID(), 1);
        assert.equal(await store.shareUpload(upload.shared, key), true);
        await store.remove('upload', upload.key);
        assert.deepEqual(await listed(store, 'upload'), []);
        assert.equal(await store.uploadLength(upload.key, upload.offset, upload.place), 0);
        assert.equal(await store.shareUpload(upload.shared, randomUUID()), false);
        assert.ok((await inputBytes(subject, key)).equals(bytes), `${length} bytes in steps of ${step}`);
        await store.remove('input', key);
        assert.deepEqual(await listed(store, 'input'), []);
      }
    },
  },
  {
    name: 'bytes of an upload that were not recorded do not exist',
    async run(subject) {
      const { store } = subject;
      const upload = new Recorded();
      await upload.append(store, Buffer.from('recorded,'), 4);
      for (const isSynced of [false, true]) {
        const dead = await store.continueUpload(upload.key, upload.offset, upload.place);
        await dead.write(Buffer.from('lost'));
        if (isSynced) await dead.sync();
        dead.close();
      }
      const cut = await store.continueUpload(upload.key, upload.offset, upload.place);
      await cut.write(Buffer.from('cut off'));
      await cut.sync();
      await cut.cut(upload.offset, upload.place);
      await cut.write(Buffer.from('more,'));
      upload.place = await cut.sync();
      upload.offset += 5;
      cut.recorded();
      cut.close();
      await upload.append(store, Buffer.from('end'), 2);
      const key = randomUUID();
      assert.equal(await store.shareUpload(upload.shared, key), true);
      assert.equal(String(await inputBytes(subject, key)), 'recorded,more,end');
    },
  },
  {
    name: 'an upload without the recorded bytes, as one of another store, is not continued',
    async run({ store }) {
      assert.equal(await store.uploadLength(randomUUID(), 5, null), 0);
      await assert.rejects(store.continueUpload(randomUUID(), 5, null), { code: 'INTERNAL' });
      assert.equal(await store.uploadLength(randomUUID(), 0, null), 0);
    },
  },
  {
    name: 'a writer of an upload that was paused and replaced changes nothing',
    shared: true,
    async run(subject) {
      const { store, other } = subject;
      const upload = new Recorded();
      await upload.append(store, Buffer.from('start '), 10);
      const zombie = await store.continueUpload(upload.key, upload.offset, upload.place);
      await zombie.write(Buffer.from('ZOMBIE, written at the same offset'));
      await upload.append(other, Buffer.from('of both'), 3);
      await zombie.sync();
      zombie.close();
      const key = randomUUID();
      assert.equal(await other.shareUpload(upload.shared, key), true);
      assert.equal(String(await inputBytes(subject, key)), 'start of both');
    },
  },
  {
    name: 'files are listed with the time of their change, and files that are not of a store are not',
    async run(subject) {
      const before = Date.now() - 2000;
      const [input, output] = [inputKey(randomUUID(), 7), randomUUID()];
      const upload = new Recorded();
      await putInput(subject.store, input, Buffer.from('a'));
      await adopt(subject, output, 1, Buffer.from('bc'), 1);
      await upload.append(subject.store, Buffer.from('c'), 1);
      for (const [kind, key] of [
        ['input', input],
        ['output', output],
        ['upload', upload.key],
      ] as const) {
        const files = await listed(subject.other, kind);
        assert.deepEqual([...new Set(files.map((file) => file.key))], [key], kind);
        for (const { changedAt } of files) assert.ok(changedAt >= before && changedAt <= Date.now() + 2000);
        await subject.other.remove(kind, key);
        await subject.other.remove(kind, key);
        assert.deepEqual(await listed(subject.store, kind), []);
      }
    },
  },
  {
    name: 'it can be tested for writing, by several at once, which leaves nothing',
    async run({ store, other }) {
      await Promise.all([store.checkWritable(), store.checkWritable(), other.checkWritable()]);
      for (const kind of ['input', 'output', 'upload'] as const)
        assert.deepEqual(await listed(store, kind), []);
    },
  },
  {
    name: 'a key from outside is refused',
    async run({ store, directory }) {
      for (const key of ['../x', 'a/b', '', 'a%2fb', '.']) {
        await assert.rejects(async () => store.receive(key), { code: 'INTERNAL' });
        await assert.rejects(async () => store.provide(key, join(directory, 'x')), { code: 'INTERNAL' });
        await assert.rejects(async () => store.openOutput(key, 1), { code: 'INTERNAL' });
        await assert.rejects(async () => store.remove('upload', key), { code: 'INTERNAL' });
        await assert.rejects(async () => store.continueUpload(key, 0, null), { code: 'INTERNAL' });
      }
    },
  },
  {
    name: 'files of parts go from one process to another, and end with their attempt',
    shared: true,
    async run({ store, other, directory }) {
      const [parts, others] = [store.parts!, other.parts!];
      const attempt = { id: randomUUID(), fence: 1 };
      const next = { ...attempt, fence: 2 };
      const bytes = randomBytes(LARGE);
      const source = join(directory, randomUUID());
      writeFileSync(source, bytes);
      await parts.put(attempt, 'result-0-1', source);
      await parts.put(next, 'result-0-1', source);
      const path = join(directory, randomUUID());
      await others.get(attempt, 'result-0-1', path);
      assert.ok(readFileSync(path).equals(bytes));
      await others.remove(attempt, 'result-0-1');
      await assert.rejects(parts.get(attempt, 'result-0-1', join(directory, randomUUID())));
      const left: string[] = [];
      for await (const { id, fence } of parts.list()) left.push(`${id} ${fence}`);
      assert.ok(left.includes(`${next.id} 2`), `${left}`);
      await parts.remove(next);
      for await (const { fence } of others.list()) assert.notEqual(fence, 2);
      for (const name of ['../x', 'a/b', ''])
        await assert.rejects(async () => parts.get(attempt, name, join(directory, 'x')), {
          code: 'INTERNAL',
        });
    },
  },
  {
    name: 'an input can be fetched in part, with its whole length',
    shared: true,
    async run({ store, directory }) {
      const key = randomUUID();
      const bytes = randomBytes(LARGE);
      await putInput(store, key, bytes);
      for (const range of [
        null,
        [0, 10],
        [1000, 20_000_000],
        [LARGE - 5, LARGE + 100],
        [17_000_000, 17_000_001],
      ] as const) {
        const path = join(directory, randomUUID());
        await store.parts!.getInput(key, path, range);
        const found = readFileSync(path);
        assert.equal(found.length, LARGE);
        const [start, end] = range ?? [0, LARGE];
        assert.ok(found.subarray(start, end).equals(bytes.subarray(start, end)), `${range}`);
      }
    },
  },
];
