/**
 * The file store of one machine: `inputs/<key>`, `outputs/<job id>` and `uploads/<id>` in the data directory.
 *
 * An upload is written to its final name directly. Alternative rejected: a temporary name and a rename, which costs another
 * write of the directory without benefit, because a file is used only once its row is committed.
 *
 * fsyncs per job: the input, its name, the output, its name; each is needed, because the rows refer to these files. They
 * run in Node's thread pool. Calls that change only metadata are synchronous: they are faster than a switch of threads.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  renameSync,
  type Stats,
  unlinkSync,
  write,
} from 'node:fs';
import { copyFile, lstat, open, opendir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { directorySync } from './directory-sync.ts';
import { LocalGrowingFile } from './growing-file.ts';
import type { SharedSync } from './shared-sync.ts';
import {
  type FileKind,
  type FileStore,
  type GrowingFile,
  isJobFileName,
  type SharedUpload,
  type StoredFile,
  type Upload,
} from './store.ts';

const readAsync = promisify(read);
const writeAsync = promisify(write);
const fsyncAsync = promisify(fsync);

/** Room for records and the files of a small job: with less the service would fail again at once. */
export const PROBE_BYTES = 1024 * 1024;

export class LocalStore implements FileStore {
  readonly isShared = false;
  readonly parts = null;
  readonly #directories: Readonly<Record<FileKind, string>>;
  /** Syncs of the directories. */
  readonly #namesOf: Readonly<Record<FileKind, SharedSync>>;
  readonly #check: () => Promise<void>;

  constructor(directory: string) {
    this.#check = directoryProbe(directory);
    const open = (name: string): string => {
      const path = join(directory, name);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return path;
    };
    const input = open('inputs');
    const output = open('outputs');
    const upload = open('uploads');
    this.#directories = { input, output, upload };
    this.#namesOf = {
      input: directorySync(input),
      output: directorySync(output),
      upload: directorySync(upload),
    };
  }

  async continueUpload(key: string, offset: number): Promise<GrowingFile> {
    return LocalGrowingFile.open(this.#path('upload', key), offset, this.#namesOf.upload);
  }

  async uploadLength(key: string): Promise<number> {
    try {
      return (await lstat(this.#path('upload', key))).size;
    } catch (error) {
      if (isMissing(error)) return 0;
      throw error;
    }
  }

  async shareUpload({ key }: SharedUpload, inputKey: string): Promise<boolean> {
    const source = this.#path('upload', key);
    const target = this.#path('input', inputKey);
    try {
      // As every input: a job must not be able to change what another job reads.
      chmodSync(source, 0o400);
      if ((await linkOrCopy(source, target)) === 'copied') await syncFile(target);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    await this.#namesOf.input.sync();
    return true;
  }

  async receive(key: string): Promise<Upload> {
    return new LocalUpload(this.#path('input', key), this.#namesOf.input);
  }

  async provide(key: string, path: string): Promise<void> {
    await linkOrCopy(this.#path('input', key), path);
  }

  async adopt(
    id: string,
    _attempt: number,
    path: string,
    findingsBytes: number,
  ): Promise<{ byteLength: number }> {
    const target = this.#path('output', id);
    const { descriptor, facts } = openFinished(id, path, findingsBytes);
    try {
      await moveFinished({ descriptor, facts }, path, target);
      await this.#namesOf.output.sync();
      return { byteLength: facts.size };
    } finally {
      closeSync(descriptor);
    }
  }

  async openOutput(id: string): Promise<StoredFile | null> {
    return openStored(this.#path('output', id));
  }

  async presign(): Promise<null> {
    return null;
  }

  async removeAbandoned(): Promise<number> {
    return 0;
  }

  async remove(kind: FileKind, key: string): Promise<void> {
    await removeFile(this.#path(kind, key));
  }

  async *list(kind: FileKind): AsyncIterable<{ key: string; changedAt: number }> {
    const directory = this.#directories[kind];
    for await (const { name } of await opendir(directory)) {
      if (!isJobFileName(kind, name)) continue;
      try {
        const facts = await lstat(join(directory, name));
        if (facts.isFile()) yield { key: name, changedAt: facts.mtimeMs };
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
  }

  async checkWritable(): Promise<void> {
    await this.#check();
  }

  #path(kind: FileKind, key: string): string {
    // Keys are made by the service; this check is for a key that would come from outside by mistake.
    if (!/^[\w-]{1,64}(\.\d{1,6})?$/.test(key))
      throw failure(generalErrors.INTERNAL, { reason: 'malformed file key' });
    return join(this.#directories[kind], key);
  }
}

/** A test that rejects if the directory cannot be written. */
export function directoryProbe(directory: string): () => Promise<void> {
  const path = join(directory, 'probe');
  const names = directorySync(directory);
  let underway: Promise<void> | null = null;
  return () => {
    // One at a time: two would write the same file.
    underway ??= writeProbe(path, names).finally(() => {
      underway = null;
    });
    return underway;
  };
}

async function writeProbe(path: string, names: SharedSync): Promise<void> {
  // Left from an interrupted check, or one that could not remove it.
  await removeFile(path);
  const upload = new LocalUpload(path, names);
  try {
    // Random: a file system that compresses would store zeros in no space at all.
    await upload.write(randomBytes(PROBE_BYTES));
    await upload.keep();
  } finally {
    await upload.discard();
  }
}

export class LocalUpload implements Upload {
  byteLength = 0;
  readonly #path: string;
  readonly #names: SharedSync;
  #descriptor: number | null;

  constructor(path: string, names: SharedSync) {
    this.#path = path;
    this.#names = names;
    // Written only through this descriptor and never changed afterwards, so that a retry reads the same bytes.
    this.#descriptor = openSync(path, 'wx', 0o400);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#descriptor === null)
      throw failure(generalErrors.INTERNAL, { reason: 'write to a closed upload' });
    let written = 0;
    while (written < bytes.length)
      written += (await writeAsync(this.#descriptor, bytes, written, bytes.length - written, null))
        .bytesWritten;
    this.byteLength += bytes.length;
  }

  async keep(): Promise<void> {
    if (this.#descriptor === null)
      throw failure(generalErrors.INTERNAL, { reason: 'keep of a closed upload' });
    await fsyncAsync(this.#descriptor);
    this.#close();
    await this.#names.sync();
  }

  async discard(): Promise<void> {
    this.#close();
    await removeFile(this.#path);
  }

  #close(): void {
    if (this.#descriptor === null) return;
    closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}

/** What a runner has made. */
export interface FinishedFile {
  readonly descriptor: number;
  readonly facts: Stats;
}

/**
 * Opens the file that a runner wrote at `path`; the caller closes the descriptor. A link, and what is not a regular file, is refused:
 * it would make the service read another file.
 */
export function openFinished(jobId: string, path: string, findingsBytes: number): FinishedFile {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile())
      throw failure(generalErrors.INTERNAL, { reason: `the output of job ${jobId} is not a regular file` });
    if (findingsBytes > facts.size)
      throw failure(generalErrors.INTERNAL, {
        reason: `the output of job ${jobId} is shorter than its findings`,
      });
    return { descriptor, facts };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * Makes the file durable and moves it to `target`, for the service alone. Rejects, with code EXDEV before anything was moved, if that is on
 * another file system.
 */
export async function moveFinished(
  { descriptor, facts }: FinishedFile,
  path: string,
  target: string,
): Promise<void> {
  takeOwnership(descriptor, facts.uid);
  // The content before the name: else a power failure could leave the name of an incomplete file.
  await fsyncAsync(descriptor);
  renameSync(path, target);
  // Its creator may still be running, and could replace the output by a link, so that a download would read
  // another file. So the moved file must be the checked file.
  const moved = lstatSync(target);
  if (moved.ino !== facts.ino || moved.dev !== facts.dev) {
    unlinkSync(target);
    throw failure(generalErrors.INTERNAL, {
      reason: `${basename(path)} was replaced while it was taken over`,
    });
  }
}

/** Fills `bytes` from `position` of the file on. Rejects if the file ends before. */
export async function readAt(descriptor: number, position: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await readAsync(descriptor, bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0)
      throw failure(generalErrors.INTERNAL, { reason: 'an output became shorter while it was stored' });
    done += bytesRead;
  }
}

/** Null: no such file. */
export async function openStored(path: string): Promise<StoredFile | null> {
  try {
    const handle = await open(path, 'r');
    return {
      // Node counts the end inclusively, and cannot express an empty range.
      stream: (start, end): Readable =>
        handle.createReadStream({ start, end: Math.max(start, end - 1), highWaterMark: 64 * 1024 }),
      close: () => handle.close(),
    };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * The file has the mode and owner of its creator, maybe another user; this makes it accessible to the service only.
 */
function takeOwnership(descriptor: number, owner: number): void {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  if (uid === undefined || gid === undefined) return;
  if (owner !== uid) fchownSync(descriptor, uid, gid);
  fchmodSync(descriptor, 0o600);
}

/** Throws if the source does not exist. */
export async function linkOrCopy(source: string, target: string): Promise<'linked' | 'copied'> {
  try {
    linkSync(source, target);
    return 'linked';
  } catch (error) {
    if (isMissing(error)) throw error;
    // Another file system, or one without hard links.
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    return 'copied';
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
