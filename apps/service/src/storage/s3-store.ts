/**
 * The file store in a bucket:
 *
 *   inputs/<job id>[.<index>]              written once, by the process that received it
 *   uploads/<upload id>/<segment>          see segments.ts; the record of the upload lists its segments
 *   outputs/<job id>/<attempt>             written once, by the worker of that attempt
 *   outputs/<job id>/<attempt>.findings
 *   parts/<job id>/<attempt>/<name>        see s3-parts.ts
 *
 * No object is ever changed, and the rows of the database are the only pointers to them. So it is correct on stores without
 * conditional writes, and with lists that are late: lists are used only to remove what no row refers to any more.
 * docs/decisions/files-in-s3.md has the reasons.
 */
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFinished, PROBE_BYTES } from './local-store.ts';
import { PartBuffer } from './part-buffer.ts';
import { ObjectMissing } from './s3-answers.ts';
import { S3Client } from './s3-client.ts';
import { fetchObject, MAX_PARTS, PART_BYTES, readerOf, storeObject } from './s3-objects.ts';
import { S3Parts } from './s3-parts.ts';
import type { S3Settings } from './s3-transport.ts';
import { parsePlace, SegmentedFile, type SegmentFiles, segmentName } from './segments.ts';
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

const FOLDERS: Readonly<Record<FileKind, string>> = { input: 'inputs', output: 'outputs', upload: 'uploads' };

/** The largest input: parts are uploaded before its length is known. */
export const MAX_S3_INPUT_BYTES = PART_BYTES * MAX_PARTS;

export class S3Store implements FileStore {
  readonly isShared = true;
  readonly parts: S3Parts;
  readonly #client: S3Client;

  constructor(settings: S3Settings) {
    this.#client = new S3Client(settings);
    this.parts = new S3Parts(this.#client);
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
        await storeObject(this.#client, target, byteLength, read, (start) => {
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
    await fetchObject(this.#client, keyOf('input', key), path);
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
      const readFrom = readerOf(descriptor);
      if (findingsBytes > 0)
        await storeObject(this.#client, `${key}.findings`, findingsBytes, readFrom(bodyBytes));
      await storeObject(this.#client, key, bodyBytes, readFrom(0));
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
        const isOurs = [...Object.values(FOLDERS), 'parts'].some((folder) => key.startsWith(`${folder}/`));
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
    if (this.#state !== 'open') throw failure(generalErrors.INTERNAL, { reason: 'write to a closed upload' });
    for (let at = 0; at < bytes.length; ) {
      if (this.#part.room === 0) await this.#putPart();
      const piece = bytes.subarray(at, at + this.#part.room);
      this.#part.append(piece);
      at += piece.length;
    }
    this.byteLength += bytes.length;
  }

  async keep(): Promise<void> {
    if (this.#state !== 'open') throw failure(generalErrors.INTERNAL, { reason: 'keep of a closed upload' });
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
      throw failure(generalErrors.LIMIT_EXCEEDED, {
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
  if (!isJobFileName(kind, key)) throw failure(generalErrors.INTERNAL, { reason: 'malformed file key' });
  return `${FOLDERS[kind]}/${key}`;
}

function outputKey(jobId: string, attempt: number): string {
  return `${keyOf('output', jobId)}/${attempt}`;
}
