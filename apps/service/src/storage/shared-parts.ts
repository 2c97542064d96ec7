/** Part files in a directory that several machines mount: `parts/<job id>/<attempt>/<name>`, copied under another name and then renamed. */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync } from 'node:fs';
import { link, lstat, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { isMissing, linkOrCopy, openFinished, readAt, removeFile } from './local-store.ts';
import { checkPartName, isJobFileName, type PartFiles, type StoredAttempt } from './store.ts';

const COPIED_AT_ONCE = 1024 ** 2;

export class SharedDirectoryParts implements PartFiles {
  readonly #inputs: string;
  readonly #directory: string;

  /** `directory`: of the whole store. */
  constructor(directory: string) {
    this.#inputs = join(directory, 'inputs');
    this.#directory = join(directory, 'parts');
  }

  async put(attempt: StoredAttempt, name: string, path: string): Promise<void> {
    const target = this.#path(attempt, name);
    // Refuses a link, by which a runner would have another file copied.
    const { descriptor, facts } = openFinished(attempt.id, path, 0);
    const temporary = `${target}.${randomBytes(6).toString('hex')}`;
    try {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      await writeRange(descriptor, temporary, 0, facts.size, 0o400);
      await rename(temporary, target);
    } catch (error) {
      await removeFile(temporary).catch(() => {});
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  async get(attempt: StoredAttempt, name: string, path: string): Promise<void> {
    await linkOrCopy(this.#path(attempt, name), path);
  }

  async getInput(key: string, path: string, range: readonly [number, number] | null): Promise<void> {
    checkKey('input', key);
    const source = join(this.#inputs, key);
    if (range === null) return void (await linkOrCopy(source, path));
    try {
      // Costs nothing, where it is possible.
      return await link(source, path);
    } catch (error) {
      if (isMissing(error)) throw error;
    }
    const file = await open(source, 'r');
    try {
      const { size } = await file.stat();
      await writeRange(file.fd, path, range[0], Math.min(range[1], size), 0o400, size);
    } finally {
      await file.close();
    }
  }

  async remove(attempt: StoredAttempt, name?: string): Promise<void> {
    if (name !== undefined) return removeFile(this.#path(attempt, name));
    const folder = this.#folder(attempt);
    await rm(folder, { recursive: true, force: true });
    // Of the job; other attempts may have files.
    await rmdir(dirname(folder)).catch(() => {});
  }

  async *list(): AsyncIterable<StoredAttempt & { changedAt: number }> {
    for (const id of await namesIn(this.#directory)) {
      if (!isJobFileName('output', id)) continue;
      for (const name of await namesIn(join(this.#directory, id))) {
        if (!/^\d{1,15}$/.test(name)) continue;
        try {
          const { mtimeMs } = await lstat(join(this.#directory, id, name));
          yield { id, fence: Number(name), changedAt: mtimeMs };
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
    }
  }

  #folder({ id, fence }: StoredAttempt): string {
    checkKey('output', id);
    return join(this.#directory, id, String(fence));
  }

  #path(attempt: StoredAttempt, name: string): string {
    checkPartName(name);
    return join(this.#folder(attempt), name);
  }
}

/** Names in a directory, which may be missing. */
async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function checkKey(kind: 'input' | 'output', key: string): void {
  if (!isJobFileName(kind, key)) throw failure(generalErrors.INTERNAL, { reason: 'malformed file key' });
}

/** Copies bytes `[start, end)` to the same offsets of a new file of `byteLength` bytes; default: `end`. */
async function writeRange(
  descriptor: number,
  path: string,
  start: number,
  end: number,
  mode: number,
  byteLength = end,
): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.truncate(byteLength);
    const buffer = Buffer.allocUnsafeSlow(Math.min(COPIED_AT_ONCE, Math.max(1, end - start)));
    for (let at = start; at < end; at += COPIED_AT_ONCE) {
      const piece = buffer.subarray(0, Math.min(buffer.length, end - at));
      await readAt(descriptor, at, piece);
      for (let written = 0; written < piece.length; )
        written += (await file.write(piece, written, piece.length - written, at + written)).bytesWritten;
    }
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await file.close();
  }
}
