/** Copies files of a data directory into another store, and compares each copy with its original. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { type FileStore, inputKey } from '../../storage/store.ts';
import { Examples } from '../doctor/finding.ts';
import type { CopiedFile, MoveJournal } from './journal.ts';
import { invalid, KINDS, type MoveSource, type SourceFile } from './source.ts';

/** Files that are copied at the same time. */
const LANES = 4;
const PIECE_BYTES = 1024 ** 2;

export interface FileMove {
  readonly source: MoveSource;
  readonly store: FileStore;
  readonly journal: MoveJournal;
  readonly signal: AbortSignal;
  /** Called after each file. */
  readonly onCopied: (file: CopiedFile) => void;
}

/**
 * Copies every file that is not in the journal yet, and removes copies of files that no longer count. Throws MIGRATION_INVALID for an
 * original that cannot be read or changes meanwhile, and errors of the store.
 */
export async function copyFiles(move: FileMove): Promise<void> {
  const { source, store, journal, signal, onCopied } = move;
  const wanted = new Set<string>();
  for (const { kind, key } of source.files()) wanted.add(`${kind} ${key}`);
  for (const { kind, key } of journal.all())
    if (!wanted.has(`${kind} ${key}`)) {
      // The service ran again after a move was interrupted.
      await store.remove(kind, key);
      journal.remove(kind, key);
    }
  const temporary = TemporaryDirectory.required('geomill-migrate-');
  const files = source.files()[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = files.next(); next.done !== true; next = files.next()) {
      signal.throwIfAborted();
      const file = next.value;
      if (journal.find(file.kind, file.key)?.bytes === file.bytes) continue;
      const copied = await copyOne(file, move, temporary.path);
      journal.add(copied);
      onCopied(copied);
    }
  };
  try {
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    for (const one of lanes) if (one.status === 'rejected') throw one.reason;
  } finally {
    temporary.remove();
  }
}

async function copyOne(
  file: SourceFile,
  { source, store, signal }: FileMove,
  temporary: string,
): Promise<CopiedFile> {
  const { kind, key, bytes } = file;
  // Removes the partial copy that a killed move left.
  await store.remove(kind, key);
  const read = async function* (hash: Hash): AsyncGenerator<Buffer> {
    let length = 0;
    try {
      const options = { highWaterMark: PIECE_BYTES, end: Math.max(0, bytes - 1) };
      for await (const piece of bytes === 0 ? [] : createReadStream(file.path, options)) {
        signal.throwIfAborted();
        hash.update(piece);
        length += piece.length;
        yield piece;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw damaged(source, file, `cannot be read (${(error as Error).message})`);
    }
    if (length !== bytes) throw damaged(source, file, `has ${length} bytes, not ${bytes}`);
  };
  const copied = { kind, key, bytes, ...(await PUT[kind](file, store, read)) };
  const found = await hashOf(STORED[kind](copied, file, store, temporary));
  if (found !== copied.sha256) throw damaged(source, file, 'changed while it was copied');
  return copied;
}

function damaged(source: MoveSource, { kind, key }: SourceFile, what: string): Error {
  const one = new Examples();
  one.add(`${kind}s/${key} ${what}`);
  return invalid(source.directory, one);
}

type Read = (hash: Hash) => AsyncGenerator<Buffer>;
type Put = (
  file: SourceFile,
  store: FileStore,
  read: Read,
) => Promise<{ readonly sha256: string; readonly place: string | null }>;

/** Stores a file of each kind. */
const PUT: Readonly<Record<SourceFile['kind'], Put>> = {
  async input({ key }, store, read) {
    const hash = createHash('sha256');
    const upload = await store.receive(key);
    try {
      for await (const piece of read(hash)) await upload.write(piece);
      await upload.keep();
    } catch (error) {
      await upload.discard();
      throw error;
    }
    return { sha256: hash.digest('hex'), place: null };
  },
  async output({ jobId, attempt, path, findingsBytes }, store, read) {
    const hash = createHash('sha256');
    for await (const _ of read(hash));
    await store.adopt(jobId, attempt, path, findingsBytes, true);
    return { sha256: hash.digest('hex'), place: null };
  },
  async upload({ key }, store, read) {
    const hash = createHash('sha256');
    const growing = await store.continueUpload(key, 0, null);
    try {
      for await (const piece of read(hash)) await growing.write(piece);
      return { place: await growing.sync(), sha256: hash.digest('hex') };
    } finally {
      growing.close();
    }
  },
};

type Stored = (
  copied: CopiedFile,
  file: SourceFile,
  store: FileStore,
  temporary: string,
) => AsyncGenerator<Buffer>;

/** The content of a stored file of each kind, as the service will read it. */
const STORED: Readonly<Record<SourceFile['kind'], Stored>> = {
  input: ({ key }, _file, store, temporary) => providedInput(store, key, temporary),
  async *output(_copied, { jobId, attempt, bytes }, store) {
    const stored = await store.openOutput(jobId, attempt);
    if (stored === null) return;
    try {
      yield* stored.stream(0, bytes) as AsyncIterable<Buffer>;
    } finally {
      await stored.close();
    }
  },
  async *upload({ key, bytes, place }, _file, store, temporary) {
    const shared = inputKey(randomUUID(), 0);
    if (!(await store.shareUpload({ key, byteLength: bytes, place }, shared))) return;
    try {
      yield* providedInput(store, shared, temporary);
    } finally {
      await store.remove('input', shared);
    }
  },
};

async function* providedInput(store: FileStore, key: string, temporary: string): AsyncGenerator<Buffer> {
  const path = join(temporary, randomUUID());
  await store.provide(key, path);
  try {
    yield* createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
  } finally {
    rmSync(path, { force: true });
  }
}

async function hashOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Throws SETTING_INVALID if the store has files that are not of this service. */
export async function refuseForeignStore(source: MoveSource, store: FileStore, url: string): Promise<void> {
  const foreign = new Examples();
  for (const kind of KINDS)
    for await (const { key } of store.list(kind)) {
      if (source.owns(kind, key)) continue;
      foreign.add(`${kind}s/${key}`);
      if (foreign.count > FEW) break;
    }
  if (foreign.count === 0) return;
  const reason = `it has files of another service (${foreign.text}); use an empty bucket, prefix or directory`;
  throw failure(generalErrors.SETTING_INVALID, { name: 'STORE_URL', value: url, reason });
}

const FEW = 3;

/** For files that are in the store already. Throws MIGRATION_INVALID if some are not. */
export async function checkStored(source: MoveSource, store: FileStore): Promise<void> {
  const inputs = new Set<string>();
  for await (const { key } of store.list('input')) inputs.add(key);
  const missing = new Examples();
  for (const file of source.files())
    if (!(await isStored(file, store, inputs)))
      missing.add(`${file.kind}s/${file.key} is missing in the store`);
  if (missing.count > 0) throw invalid(source.directory, missing);
}

async function isStored(
  { kind, key, jobId, attempt, bytes, place }: SourceFile,
  store: FileStore,
  inputs: ReadonlySet<string>,
): Promise<boolean> {
  if (kind === 'input') return inputs.has(key);
  if (kind === 'upload') return (await store.uploadLength(key, bytes, place)) >= bytes;
  const stored = await store.openOutput(jobId, attempt);
  await stored?.close();
  return stored !== null;
}

/** Number and size of the files to copy. */
export function sizeOf(source: MoveSource): { readonly files: number; readonly bytes: number } {
  let [files, bytes] = [0, 0];
  for (const { path } of source.files()) {
    files += 1;
    bytes += lstatSync(path).size;
  }
  return { files, bytes };
}
