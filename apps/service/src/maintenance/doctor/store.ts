/** Checks the store that STORE_URL names: a file is written, read and removed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { openStore, type StoreSettings, storeOptions } from '../../storage/open-store.ts';
import type { FileStore } from '../../storage/store.ts';
import { type DoctorFinding, finding } from './finding.ts';

const TEST_BYTES = 1024 ** 2;
const REMEDIES: readonly (readonly [message: RegExp, remedy: string])[] = [
  [/bucket .* does not exist/, 'create the bucket, or correct its name in STORE_URL'],
  [
    /refuses its credentials/,
    'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and allow GetObject, PutObject, DeleteObject and ListBucket',
  ],
  [/have expired/, 'give new temporary credentials in AWS_SESSION_TOKEN'],
  [/clock differs/, 'check the time synchronisation of this machine'],
  [/another region/, 'set S3_REGION to the region of the bucket'],
  [/cannot be reached/, 'start the server, correct S3_ENDPOINT, or allow the connection in the firewall'],
  [/EACCES|EPERM|EROFS/, 'give the user of the service the right to write there'],
  [/ENOSPC|no disk space/, 'free some space'],
  [/ENOENT|ENOTDIR/, 'mount the file system, and create the directory'],
];

export async function checkStore(settings: StoreSettings, dataDirectory: string): Promise<DoctorFinding[]> {
  let store: FileStore | null = null;
  try {
    store = await openStore(storeOptions(settings, dataDirectory));
    return [await checkReadable(store), ...(await checkList(store))];
  } catch (error) {
    return [problem((error as Error).message)];
  } finally {
    store?.close?.();
  }
}

function problem(message: string): DoctorFinding {
  const remedy =
    REMEDIES.find(([pattern]) => pattern.test(message))?.[1] ??
    'correct STORE_URL; the message has the cause';
  return finding('problem', message, remedy);
}

async function checkReadable(store: FileStore): Promise<DoctorFinding> {
  const began = performance.now();
  const key = randomUUID();
  const content = randomBytes(TEST_BYTES);
  const temporary = TemporaryDirectory.required('geomill-doctor-');
  const upload = await store.receive(key);
  try {
    await upload.write(content);
    await upload.keep();
    const path = join(temporary.path, key);
    await store.provide(key, path);
    if (!readFileSync(path).equals(content))
      return finding(
        'problem',
        'a test file came back with other bytes',
        'check the store: it loses or changes data',
      );
  } finally {
    await upload.discard();
    temporary.remove();
  }
  const ms = Math.round(performance.now() - began);
  return finding('ok', `a test file of 1 MiB was written, read and removed in ${ms} ms`);
}

async function checkList(store: FileStore): Promise<DoctorFinding[]> {
  try {
    for await (const _ of store.list('output')) break;
    return [];
  } catch (error) {
    const message = `the files of the store cannot be listed (${(error as Error).message}): what no job refers to is not removed`;
    return [finding('warning', message, 'allow ListBucket')];
  }
}
