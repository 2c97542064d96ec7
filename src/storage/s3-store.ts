/**
 * The file store in a bucket:
 *
 *   inputs/<job id>[.<index>]              written once, by the process that received it
 *   uploads/<upload id>/<segment>          see segments.ts; the record of the upload lists its segments
 *   outputs/<job id>/<attempt>             written once, by the worker of that attempt
 *   outputs/<job id>/<attempt>.findings
 *
 * No object is ever changed, and the rows of the database are the only pointers to them. So it is correct on stores without
 * conditional writes, and with lists that are late: lists are used only to remove what no row refers to any more.
 * docs/decisions/files-in-s3.md has the reasons.
 */
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { failure } from '../errors.ts';
import { openFinished, PROBE_BYTES, readAt, removeFile } from './local-store.ts';
import { PartBuffer } from './part-buffer.ts';
import { ObjectMissing } from './s3-answers.ts';
import { S3Client, type S3Settings } from './s3-client.ts';
import { BLOCK_BYTES, parsePlace, SegmentedFile, type SegmentFiles, segmentName } from './segments.ts';
import {
  type FileKind,
  type FileStore,
  type GrowingFile,
  isJobFileName,
  type ListedFile,
  type PresignOptions,
  type SharedUpload,
  type StoredFile,
  type Upload,
} from './store.ts';
import { StoreFault } from './store-fault.ts';

/** Of large objects, all but the last; some stores require equal parts. */
const PART_BYTES = BLOCK_BYTES;
/** S3's limit. */
const MAX_PARTS = 10_000;
/** Requests for one file at a time. Those that send hold a part in memory each; those that copy within the store are only waited for. */
const SENT_AT_ONCE = 2;
const FETCHED_AT_ONCE = 4;
const COPIED_AT_ONCE = 8;
const FOLDERS: Readonly<Record<FileKind, string>> = { input: 'inputs', output: 'outputs', upload: 'uploads' };

/** The largest input: parts are uploaded before its length is known. */
export const MAX_S3_INPUT_BYTES = PART_BYTES * MAX_PARTS;

export class S3Store implements FileStore {
  readonly isShared = true;
  readonly #client: S3Client;

  constructor(settings: S3Settings) {
    this.#client = new S3Client(settings);
  }

  close(): void {
    this.#client.close();
  }

  async continueUpload(key: string, offset: number, place: string | null): Promise<GrowingFile> {
    return new SegmentedFile(this.#segmentsOf(key), offset, place);
  }

  /** Looks for the last segment only. */
  async uploadLength(key: string, offset: number, place: string | null): Promise<number> {
    // An upload of another store has no place here.
    const last = place === null ? undefined : parsePlace(place, offset).at(-1);
    if (last === undefined) return 0;
    const size = await this.#client.size(`${keyOf('upload', key)}/${segmentName(last)}`);
    return size === last.byteLength ? offset : 0;
  }

  async shareUpload({ key, byteLength, place }: SharedUpload, inputKey: string): Promise<boolean> {
    const target = keyOf('input', inputKey);
    const segments = parsePlace(place, byteLength);
    const files = this.#segmentsOf(key);
    const read = async (start: number): Promise<Uint8Array[]> => {
      const chunks: Uint8Array[] = [];
      for (const segment of segments)
        if (segment.start >= start && segment.start < start + PART_BYTES) {
          const bytes = await files.read(segmentName(segment));
          if (bytes === null) throw new ObjectMissing(`a segment of upload ${key}`);
          chunks.push(bytes);
        }
      return chunks;
    };
    try {
      if (segments.length === 1)
        await this.#client.copy(`${keyOf('upload', key)}/${segmentName(segments[0])}`, target);
      else
        await this.#store(target, byteLength, read, (start) => {
          const segment = segments.find((one) => one.start === start);
          return segment?.byteLength === PART_BYTES
            ? `${keyOf('upload', key)}/${segmentName(segment)}`
            : null;
        });
      return true;
    } catch (error) {
      if (error instanceof ObjectMissing) return false;
      throw error;
    }
  }

  async receive(key: string): Promise<Upload> {
    return new S3Upload(this.#client, keyOf('input', key));
  }

  async provide(key: string, path: string): Promise<void> {
    const object = keyOf('input', key);
    // Only its owner can read it, as it is in the store: a runner gets access from the service.
    const file = await open(path, 'wx', 0o400);
    try {
      let byteLength = 0;
      const fetchPart = async (start: number, end: number): Promise<void> => {
        let at = start;
        const chunks = this.#client.read(object, start, end, (length) => {
          byteLength = length;
        });
        for await (const chunk of chunks)
          for (let written = 0; written < chunk.length; ) {
            const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at);
            written += bytesWritten;
            at += bytesWritten;
          }
        if (at < Math.min(end, byteLength))
          throw failure('INTERNAL', { reason: `an input has ${at} bytes instead of ${byteLength}` });
      };
      // Its response has the length of the whole.
      await fetchPart(0, PART_BYTES);
      await eachPart(byteLength, PART_BYTES, FETCHED_AT_ONCE, async (start, end) => {
        if (start > 0) await fetchPart(start, end);
      });
    } catch (error) {
      await removeFile(path);
      throw error;
    } finally {
      await file.close();
    }
  }

  async adopt(
    jobId: string,
    attempt: number,
    path: string,
    findingsBytes: number,
  ): Promise<{ byteLength: number }> {
    const key = outputKey(jobId, attempt);
    const { descriptor, facts } = openFinished(jobId, path, findingsBytes);
    try {
      const bodyBytes = facts.size - findingsBytes;
      // The output last: it is there only together with its findings.
      // Memory that is used again for each part.
      const buffers: Buffer[] = [];
      const readFrom =
        (offset: number) =>
        async (start: number, end: number, lane: number): Promise<Uint8Array[]> => {
          if ((buffers[lane]?.length ?? 0) < end - start) buffers[lane] = Buffer.allocUnsafeSlow(end - start);
          const part = buffers[lane].subarray(0, end - start);
          await readAt(descriptor, offset + start, part);
          return [part];
        };
      if (findingsBytes > 0) await this.#store(`${key}.findings`, findingsBytes, readFrom(bodyBytes));
      await this.#store(key, bodyBytes, readFrom(0));
      return { byteLength: facts.size };
    } finally {
      closeSync(descriptor);
    }
  }

  async openOutput(jobId: string, attempt: number): Promise<StoredFile | null> {
    const key = outputKey(jobId, attempt);
    const size = await this.#client.size(key);
    if (size === null) return null;
    const client = this.#client;
    async function* bytes(start: number, end: number): AsyncGenerator<Buffer> {
      if (start < Math.min(end, size!)) yield* client.read(key, start, Math.min(end, size!));
      if (end > size!) yield* client.read(`${key}.findings`, Math.max(0, start - size!), end - size!);
    }
    return {
      stream: (start, end) => Readable.from(bytes(start, end), { objectMode: false }),
      close: async () => {},
    };
  }

  presign(
    jobId: string,
    attempt: number,
    { mediaType, disposition, expiresSeconds }: PresignOptions,
  ): Promise<string> {
    return this.#client.presign(outputKey(jobId, attempt), expiresSeconds, {
      'content-type': mediaType,
      'cache-control': 'private, no-cache',
      ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
    });
  }

  async remove(kind: FileKind, key: string, attempt?: number): Promise<void> {
    const object = keyOf(kind, key);
    if (kind === 'input') return this.#client.remove(object);
    if (kind === 'output' && attempt !== undefined) {
      await this.#client.remove(`${object}/${attempt}`);
      return this.#client.remove(`${object}/${attempt}.findings`);
    }
    for await (const { key: part } of this.#client.list(`${object}/`)) await this.#client.remove(part);
  }

  async *list(kind: FileKind): AsyncIterable<ListedFile> {
    const folder = `${FOLDERS[kind]}/`;
    for await (const { key, changedAt } of this.#client.list(folder)) {
      const [name, part, ...rest] = key.slice(folder.length).split('/');
      if (!isJobFileName(kind, name) || rest.length > 0 || (part === undefined) !== (kind === 'input'))
        continue;
      if (kind !== 'output') yield { key: name, changedAt };
      else if (/^\d{1,15}(?:\.findings)?$/.test(part))
        yield { key: name, attempt: Number.parseInt(part, 10), changedAt };
    }
  }

  async removeAbandoned(begunBefore: number): Promise<number> {
    let removed = 0;
    try {
      for await (const { key, uploadId, begunAt } of this.#client.pending()) {
        const isOurs = Object.values(FOLDERS).some((folder) => key.startsWith(`${folder}/`));
        if (!isOurs || begunAt > begunBefore) continue;
        await this.#client.abort(key, uploadId);
        removed += 1;
      }
    } catch (error) {
      // Where the server does not allow this list, or has none, a lifecycle rule of the bucket has to remove them.
      if (!(error instanceof StoreFault) || error.isPassing) throw error;
    }
    return removed;
  }

  async checkWritable(): Promise<void> {
    const key = `probe-${randomBytes(6).toString('hex')}`;
    try {
      await this.#client.put(key, [randomBytes(PROBE_BYTES)]);
    } finally {
      await this.#client.remove(key);
    }
  }

  #segmentsOf(upload: string): SegmentFiles {
    const folder = keyOf('upload', upload);
    const client = this.#client;
    return {
      write: (name, chunks) => client.put(`${folder}/${name}`, chunks),
      read: (name) => missingAsNull(client.readWhole(`${folder}/${name}`, PART_BYTES)),
      remove: (name) => client.remove(`${folder}/${name}`),
    };
  }

  /**
   * Stores an object of known length, in parts if it is long; `read` gives bytes `[start, end)`, which are used
   * until it is called with the same lane again, and `sourceOf` the object that is the
   * part at `start`, if there is one.
   */
  async #store(
    key: string,
    byteLength: number,
    read: (start: number, end: number, lane: number) => Promise<Uint8Array[]>,
    sourceOf: ((start: number) => string | null) | null = null,
  ): Promise<void> {
    const client = this.#client;
    const partBytes = Math.max(PART_BYTES, Math.ceil(byteLength / MAX_PARTS));
    if (byteLength <= partBytes) return client.put(key, byteLength === 0 ? [] : await read(0, byteLength, 0));
    const uploadId = await client.begin(key);
    try {
      const tags: string[] = [];
      await eachPart(
        byteLength,
        partBytes,
        sourceOf === null ? SENT_AT_ONCE : COPIED_AT_ONCE,
        async (start, end, lane) => {
          const index = start / partBytes;
          const source = sourceOf?.(start) ?? null;
          tags[index] = await (source === null
            ? client.putPart(key, uploadId, index + 1, await read(start, end, lane))
            : client.copyPart(key, uploadId, index + 1, source));
        },
      );
      await client.complete(key, uploadId, tags, byteLength);
    } catch (error) {
      // Left if that fails, too; `removeAbandoned` finds it.
      await client.abort(key, uploadId).catch(() => {});
      throw error;
    }
  }
}

/** An input that is being received: parts as they become full, or one object. */
class S3Upload implements Upload {
  byteLength = 0;
  readonly #client: S3Client;
  readonly #key: string;
  #state: 'open' | 'stored' | 'closed' = 'open';
  readonly #part = new PartBuffer(PART_BYTES);
  #uploadId: string | null = null;
  readonly #tags: string[] = [];

  constructor(client: S3Client, key: string) {
    this.#client = client;
    this.#key = key;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#state !== 'open') throw failure('INTERNAL', { reason: 'write to a closed upload' });
    for (let at = 0; at < bytes.length; ) {
      if (this.#part.room === 0) await this.#putPart();
      const piece = bytes.subarray(at, at + this.#part.room);
      this.#part.append(piece);
      at += piece.length;
    }
    this.byteLength += bytes.length;
  }

  async keep(): Promise<void> {
    if (this.#state !== 'open') throw failure('INTERNAL', { reason: 'keep of a closed upload' });
    this.#state = 'stored';
    if (this.#uploadId === null) await this.#client.put(this.#key, [this.#part.content]);
    else {
      await this.#putPart();
      await this.#client.complete(this.#key, this.#uploadId, this.#tags, this.byteLength);
    }
    this.#part.truncate(0);
    this.#uploadId = null;
  }

  async discard(): Promise<void> {
    const state = this.#state;
    this.#state = 'closed';
    this.#part.truncate(0);
    if (this.#uploadId !== null) await this.#client.abort(this.#key, this.#uploadId);
    this.#uploadId = null;
    if (state === 'stored') await this.#client.remove(this.#key);
  }

  async #putPart(): Promise<void> {
    if (this.#tags.length === MAX_PARTS)
      throw failure('LIMIT_EXCEEDED', {
        what: 'the upload',
        actual: `more than ${MAX_S3_INPUT_BYTES} bytes`,
        limit: `${MAX_S3_INPUT_BYTES} bytes`,
        setting: 'MAX_UPLOAD',
      });
    this.#uploadId ??= await this.#client.begin(this.#key);
    const number = this.#tags.length + 1;
    this.#tags.push(await this.#client.putPart(this.#key, this.#uploadId, number, [this.#part.content]));
    this.#part.truncate(0);
  }
}

/** Calls `act` for the parts of `byteLength` bytes, several at a time, in as many lanes. After a failure no more are begun, and it rejects when all have ended. */
async function eachPart(
  byteLength: number,
  partBytes: number,
  atOnce: number,
  act: (start: number, end: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed: { readonly error: unknown } | null = null;
  const work = async (lane: number): Promise<void> => {
    while (next < byteLength && failed === null) {
      const start = next;
      next += partBytes;
      await act(start, Math.min(byteLength, next), lane).catch((error: unknown) => {
        failed ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, lane) => work(lane)));
  // Read through a function: the compiler does not see the assignment above.
  const failureOf = (): { readonly error: unknown } | null => failed;
  const found = failureOf();
  if (found !== null) throw found.error;
}

async function missingAsNull<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  }
}

function keyOf(kind: FileKind, key: string): string {
  // Keys are made by the service; this check is for a key that would come from outside by mistake.
  if (!isJobFileName(kind, key)) throw failure('INTERNAL', { reason: 'malformed file key' });
  return `${FOLDERS[kind]}/${key}`;
}

function outputKey(jobId: string, attempt: number): string {
  return `${keyOf('output', jobId)}/${attempt}`;
}
