/**
 * The file store on a file system that several machines mount (NFS, CephFS, EFS):
 *
 *   inputs/<job id>[.<index>]        as in LocalStore: written once, by the process that received it
 *   outputs/<job id>/<attempt>       moved there, or from another file system copied under a temporary name and renamed
 *   uploads/<upload id>/<segment>    see segments.ts
 *   parts/<job id>/<attempt>/<name>  see shared-parts.ts
 *
 * Nothing that a row refers to is written again, so a process that was paused and replaced meanwhile cannot change it. It needs no
 * locks of the file system.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync } from 'node:fs';
import { lstat, open, opendir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { directorySync } from './directory-sync.ts';
import {
  type FinishedFile,
  isMissing,
  LocalStore,
  LocalUpload,
  moveFinished,
  openFinished,
  openStored,
  PROBE_BYTES,
  readAt,
  removeFile,
} from './local-store.ts';
import { parsePlace, SegmentedFile, type SegmentFiles, segmentName } from './segments.ts';
import { SharedDirectoryParts } from './shared-parts.ts';
import type { SharedSync } from './shared-sync.ts';
import {
  type FileKind,
  type FileStore,
  type GrowingFile,
  isJobFileName,
  type ListedFile,
  type SharedUpload,
  type StoredFile,
  type Upload,
} from './store.ts';

const COPIED_AT_ONCE = 1024 ** 2;
const TEMPORARY = /^\.tmp-[0-9a-f]{12}$/;

export class SharedDirectoryStore implements FileStore {
  readonly isShared = true;
  readonly parts: SharedDirectoryParts;
  readonly #directory: string;
  readonly #inputs: LocalStore;
  readonly #names: Readonly<Record<FileKind | 'all', SharedSync>>;

  constructor(directory: string) {
    this.#directory = directory;
    this.parts = new SharedDirectoryParts(directory);
    this.#inputs = new LocalStore(directory);
    const sync = (name: string): SharedSync => directorySync(join(directory, name));
    this.#names = { all: sync('.'), input: sync('inputs'), output: sync('outputs'), upload: sync('uploads') };
  }

  async continueUpload(key: string, offset: number, place: string | null): Promise<GrowingFile> {
    return new SegmentedFile(this.#segmentsOf(key), offset, place);
  }

  /** Looks for the last segment only. */
  async uploadLength(key: string, offset: number, place: string | null): Promise<number> {
    // An upload of another store has no place here.
    const last = place === null ? undefined : parsePlace(place, offset).at(-1);
    if (last === undefined) return 0;
    const { size } = (await factsOf(join(this.#path('upload', key), segmentName(last)))) ?? { size: -1 };
    return size === last.byteLength ? offset : 0;
  }

  async shareUpload({ key, byteLength, place }: SharedUpload, inputKey: string): Promise<boolean> {
    const folder = this.#path('upload', key);
    const input = await this.#inputs.receive(inputKey);
    try {
      for (const segment of parsePlace(place, byteLength))
        await copyInto(join(folder, segmentName(segment)), input);
      await input.keep();
      return true;
    } catch (error) {
      await input.discard();
      if (isMissing(error)) return false;
      throw error;
    }
  }

  receive(key: string): Promise<Upload> {
    return this.#inputs.receive(key);
  }

  provide(key: string, path: string): Promise<void> {
    return this.#inputs.provide(key, path);
  }

  async adopt(
    jobId: string,
    attempt: number,
    path: string,
    findingsBytes: number,
    keepsFile = false,
  ): Promise<{ byteLength: number }> {
    const folder = this.#path('output', jobId);
    const target = join(folder, String(attempt));
    const finished = openFinished(jobId, path, findingsBytes);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (keepsFile || !(await this.#move(finished, path, target))) await this.#copy(finished, target);
      await directorySync(folder).sync();
      await this.#names.output.sync();
      return { byteLength: finished.facts.size };
    } finally {
      closeSync(finished.descriptor);
    }
  }

  /** Costs nothing, where it is possible; false: it is not. */
  async #move(finished: FinishedFile, path: string, target: string): Promise<boolean> {
    if (lstatSync(dirname(target)).dev !== finished.facts.dev) return false;
    try {
      await moveFinished(finished, path, target);
      return true;
    } catch (error) {
      // Two mounts of one file system.
      if ((error as NodeJS.ErrnoException).code === 'EXDEV') return false;
      throw error;
    }
  }

  /** Also makes it durable. */
  async #copy({ descriptor, facts }: FinishedFile, target: string): Promise<void> {
    const temporary = this.#temporary();
    try {
      await writeDurably(temporary, async (write) => {
        const buffer = Buffer.allocUnsafeSlow(Math.min(COPIED_AT_ONCE, facts.size));
        for (let at = 0; at < facts.size; at += COPIED_AT_ONCE) {
          const piece = buffer.subarray(0, facts.size - at);
          await readAt(descriptor, at, piece);
          await write(piece);
        }
      });
      await rename(temporary, target);
    } catch (error) {
      await removeFile(temporary).catch(() => {});
      throw error;
    }
  }

  async openOutput(jobId: string, attempt: number): Promise<StoredFile | null> {
    return openStored(join(this.#path('output', jobId), String(attempt)));
  }

  async presign(): Promise<null> {
    return null;
  }

  async remove(kind: FileKind, key: string, attempt?: number): Promise<void> {
    const path = this.#path(kind, key);
    if (attempt === undefined) return rm(path, { recursive: true, force: true });
    await removeFile(join(path, String(attempt)));
  }

  async *list(kind: FileKind): AsyncIterable<ListedFile> {
    if (kind === 'input') return yield* this.#inputs.list(kind);
    for await (const { name, path, changedAt } of entriesOf(join(this.#directory, FOLDERS[kind]))) {
      if (!isJobFileName(kind, name)) continue;
      if (kind === 'upload') yield { key: name, changedAt };
      else
        for await (const file of entriesOf(path))
          if (/^\d{1,15}$/.test(file.name))
            yield { key: name, attempt: Number(file.name), changedAt: file.changedAt };
    }
  }

  async removeAbandoned(begunBefore: number): Promise<number> {
    let removed = 0;
    for await (const { name, path, changedAt } of entriesOf(this.#directory)) {
      if (!TEMPORARY.test(name) || changedAt > begunBefore) continue;
      await removeFile(path);
      removed += 1;
    }
    return removed;
  }

  async checkWritable(): Promise<void> {
    const probe = new LocalUpload(this.#temporary(), this.#names.all);
    try {
      await probe.write(randomBytes(PROBE_BYTES));
      await probe.keep();
    } finally {
      await probe.discard();
    }
  }

  #segmentsOf(upload: string): SegmentFiles {
    const folder = this.#path('upload', upload);
    return {
      write: async (name, chunks) => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const path = join(folder, name);
        // A repetition after a failure.
        await removeFile(path);
        await writeDurably(path, async (write) => {
          for (const chunk of chunks) await write(chunk);
        });
        await directorySync(folder).sync();
        await this.#names.upload.sync();
      },
      read: async (name) => {
        try {
          return await readFile(join(folder, name));
        } catch (error) {
          if (isMissing(error)) return null;
          throw error;
        }
      },
      remove: (name) => removeFile(join(folder, name)),
    };
  }

  #temporary(): string {
    return join(this.#directory, `.tmp-${randomBytes(6).toString('hex')}`);
  }

  #path(kind: FileKind, key: string): string {
    // Keys are made by the service; this check is for a key that would come from outside by mistake.
    if (!isJobFileName(kind, key)) throw failure(generalErrors.INTERNAL, { reason: 'malformed file key' });
    return join(this.#directory, FOLDERS[kind], key);
  }
}

const FOLDERS: Readonly<Record<FileKind, string>> = { input: 'inputs', output: 'outputs', upload: 'uploads' };

async function writeDurably(
  path: string,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await fill(async (bytes) => {
      for (let written = 0; written < bytes.length; )
        written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
    });
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copyInto(path: string, target: Upload): Promise<void> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafeSlow(COPIED_AT_ONCE);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      await target.write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Null: there is no such file. */
async function factsOf(path: string): Promise<{ size: number; mtimeMs: number } | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Entries of a directory, which may be removed meanwhile. */
async function* entriesOf(path: string): AsyncIterable<{ name: string; path: string; changedAt: number }> {
  try {
    for await (const { name } of await opendir(path)) {
      const facts = await factsOf(join(path, name));
      if (facts !== null) yield { name, path: join(path, name), changedAt: facts.mtimeMs };
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
