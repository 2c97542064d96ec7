/** An upload on the local disk that is being continued. */
import { closeSync, constants, fstatSync, fsync, ftruncate, ftruncateSync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { SharedSync } from './shared-sync.ts';
import type { GrowingFile } from './store.ts';

const writeAsync = promisify(write);
const fsyncAsync = promisify(fsync);
const ftruncateAsync = promisify(ftruncate);

export class LocalGrowingFile implements GrowingFile {
  readonly #descriptor: number;
  readonly #names: SharedSync;
  #at: number;
  /** Its name is not durable yet. */
  #isNew: boolean;

  private constructor(descriptor: number, at: number, names: SharedSync, isNew: boolean) {
    this.#descriptor = descriptor;
    this.#at = at;
    this.#names = names;
    this.#isNew = isNew;
  }

  /** As FileStore.continueUpload; `names` syncs the directory. */
  static open(path: string, offset: number, names: SharedSync): LocalGrowingFile {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { size } = fstatSync(descriptor);
      if (size < offset)
        throw failure(generalErrors.INTERNAL, {
          reason: `an upload has ${size} bytes on disk, not the recorded ${offset}`,
        });
      if (size > offset) ftruncateSync(descriptor, offset);
      return new LocalGrowingFile(descriptor, offset, names, offset === 0);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await writeAsync(
        this.#descriptor,
        bytes,
        written,
        bytes.length - written,
        this.#at,
      );
      written += bytesWritten;
      this.#at += bytesWritten;
    }
  }

  async sync(): Promise<null> {
    await fsyncAsync(this.#descriptor);
    if (this.#isNew) await this.#names.sync();
    this.#isNew = false;
    return null;
  }

  recorded(): void {}

  async cut(byteLength: number): Promise<void> {
    await ftruncateAsync(this.#descriptor, byteLength);
    this.#at = byteLength;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
