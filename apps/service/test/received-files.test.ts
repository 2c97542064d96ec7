/** Files of a request on their way to disk: all are kept, or none is left. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ReceivedFiles } from '../src/http/received-files.ts';
import type { Upload } from '../src/storage/store.ts';

type Fate = 'fine' | 'full' | 'unsafe' | 'stuck';

/** Uploads that note what becomes of them. */
function fakeStore(fates: readonly Fate[] = []) {
  const states: string[] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const open = async (fileIndex: number): Promise<Upload> => {
    const fate = fates[fileIndex] ?? 'fine';
    let byteLength = 0;
    states[fileIndex] = 'open';
    return {
      get byteLength() {
        return byteLength;
      },
      async write(bytes) {
        if (fate === 'full') throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        byteLength += bytes.length;
      },
      async keep() {
        if (fate === 'stuck') await released;
        if (fate === 'unsafe') throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
        states[fileIndex] = 'kept';
      },
      async discard() {
        states[fileIndex] = 'gone';
      },
    };
  };
  return { states, open, release };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function receive(files: ReceivedFiles, role: 'single' | 'list', ...chunks: string[]): Promise<void> {
  await files.begin(`${role}.zip`, role);
  for (const chunk of chunks) await files.write(bytes(chunk));
  await files.end();
}

const LIMITS = {
  maxUploadBytes: 100,
  maxFiles: 20,
  maxMaskBytes: 100,
  maxConfigBytes: 100,
  maxJsonBodyBytes: 100,
};

test('the single file counts first, the others in the order of their arrival', async () => {
  const { open, states } = fakeStore();
  const files = new ReceivedFiles({ open, limits: LIMITS, wantHash: true });
  await receive(files, 'list', 'a');
  await receive(files, 'single', 'bc', 'd');
  await receive(files, 'list', 'a');
  const kept = await files.keepAll();
  assert.deepEqual(
    kept.map(({ fileIndex, byteLength }) => [fileIndex, byteLength]),
    [
      [1, 3],
      [0, 1],
      [2, 1],
    ],
  );
  assert.deepEqual([files.count('single'), files.count('list')], [1, 2]);
  assert.equal(kept[1].hash, kept[2].hash);
  assert.notEqual(kept[0].hash, kept[1].hash);
  assert.deepEqual(states, ['kept', 'kept', 'kept']);
});

test('more bytes or files than may come, and empty files, are refused by the name of the limit', async () => {
  const { open } = fakeStore();
  const files = new ReceivedFiles({
    open,
    limits: { ...LIMITS, maxUploadBytes: 5, maxFiles: 2 },
    wantHash: false,
  });
  await receive(files, 'list', 'abc');
  await assert.rejects(receive(files, 'list', 'de', 'f'), { code: 'LIMIT_EXCEEDED', message: /MAX_UPLOAD/ });
  await assert.rejects(receive(files, 'list', 'x'), { code: 'LIMIT_EXCEEDED', message: /MAX_FILES/ });
  await assert.rejects(receive(new ReceivedFiles({ open, limits: LIMITS, wantHash: true }), 'single'), {
    code: 'INPUT_EMPTY',
    message: /^single\.zip is empty/,
  });
});

test('uploads count towards the same limit as the files that are received', async () => {
  const { open, states } = fakeStore();
  const files = new ReceivedFiles({ open, limits: { ...LIMITS, maxUploadBytes: 5 }, wantHash: false });
  const add = async (byteLength: number): Promise<void> => {
    const upload = await open(files.count('list'));
    await upload.write(new Uint8Array(byteLength));
    await files.add({ name: null, role: 'list', stepInput: null }, async () => upload);
  };
  await receive(files, 'list', 'ab');
  await add(3);
  await assert.rejects(add(1), { code: 'LIMIT_EXCEEDED', message: /MAX_UPLOAD/ });
  await files.discard();
  assert.deepEqual(states, ['gone', 'gone', 'gone']);
});

test('a disk that is full while a file comes leaves none of them', async () => {
  const { open, states } = fakeStore(['fine', 'full']);
  const files = new ReceivedFiles({ open, limits: LIMITS, wantHash: true });
  await receive(files, 'list', 'a');
  await assert.rejects(receive(files, 'list', 'b'), { code: 'ENOSPC' });
  await files.discard();
  assert.deepEqual(states, ['gone', 'gone']);
});

test('a file that cannot be made durable fails the request, and leaves none of them', async () => {
  const { open, states } = fakeStore(['fine', 'unsafe']);
  const files = new ReceivedFiles({ open, limits: LIMITS, wantHash: true });
  for (const text of ['a', 'b', 'c']) await receive(files, 'list', text);
  await assert.rejects(files.keepAll(), { code: 'EIO' });
  await files.discard();
  assert.deepEqual(states, ['gone', 'gone', 'gone']);
});

test('nothing is discarded while it is being made durable', async () => {
  const { open, states, release } = fakeStore(['stuck']);
  const files = new ReceivedFiles({ open, limits: LIMITS, wantHash: true });
  await receive(files, 'single', 'a');
  const discarded = files.discard();
  assert.deepEqual(states, ['open']);
  release();
  await discarded;
  assert.deepEqual(states, ['gone']);
});

test('many files are never all open at once', async () => {
  const { open, states } = fakeStore();
  const files = new ReceivedFiles({ open, limits: LIMITS, wantHash: true });
  let most = 0;
  for (let i = 0; i < 20; i++) {
    await receive(files, 'list', 'a');
    most = Math.max(most, states.filter((state) => state === 'open').length);
  }
  assert.ok(most <= 8, `${most} were open`);
  assert.equal((await files.keepAll()).length, 20);
});
