/** Resumable uploads: a file is sent in pieces (tus protocol), and continued by itself after broken connections and restarts of the service. */
import { delay } from './delay.ts';
import { GeomillProblem } from './errors.ts';
import { type FileInput, filePartOf } from './file-input.ts';
import type { Upload } from './openapi-types.ts';
import { type PieceSource, pieceSource } from './piece-source.ts';
import type { CallOptions, Transport } from './transport.ts';

export interface UploadOptions extends CallOptions {
  /** Called at the beginning and after each piece. */
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Continues the upload with this id, of the same file, instead of creating one. */
  readonly resume?: string;
  /** Bytes of a request; so much of a stream is held in memory. Default: 8 MiB. */
  readonly pieceBytes?: number;
}

export interface UploadProgress {
  /** Of the upload, which `resume` can continue. */
  readonly id: string;
  /** Bytes that the service has stored. */
  readonly sentBytes: number;
  /** Null: the input is a stream, whose length is not known. */
  readonly totalBytes: number | null;
}

/** A file at the service, which can be the input of any number of jobs until it expires or is deleted. */
export class UploadedFile {
  readonly id: string;
  /** Null: the file has no name. */
  readonly name: string | null;
  readonly byteLength: number;
  readonly expiresAt: Date;
  readonly #transport: Transport;

  constructor(transport: Transport, upload: Upload) {
    this.id = upload.id;
    this.name = upload.name;
    this.byteLength = upload.byte_length ?? upload.offset;
    this.expiresAt = new Date(upload.expires_at);
    this.#transport = transport;
  }

  /** Jobs that use it are not affected. No error when it is gone already. */
  async delete({ signal }: CallOptions = {}): Promise<void> {
    try {
      await this.#transport.send({
        method: 'DELETE',
        path: pathOf(this.id),
        isRepeatable: true,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (!(error instanceof GeomillProblem) || (error.status !== 404 && error.status !== 410)) throw error;
    }
  }
}

const PIECE_BYTES = 8 * 1024 ** 2;
const TUS = { 'tus-resumable': '1.0.0' } as const;
/** Another request still writes; the offset is another; the body came too slowly. The offset is asked for, and the upload goes on. */
const RESUMABLE_STATUSES = [408, 409, 423, 429, 502, 503, 504, 507];

/** As GeomillClient.upload. */
export async function uploadFile(
  transport: Transport,
  input: FileInput,
  { onProgress = () => {}, resume, pieceBytes = PIECE_BYTES, signal }: UploadOptions,
): Promise<UploadedFile> {
  const call: CallOptions = signal === undefined ? {} : { signal };
  const { fileName, content } = filePartOf('file', input);
  const source = pieceSource(content);
  try {
    let upload =
      resume === undefined
        ? await create(transport, fileName, source.byteLength, call)
        : await findUpload(transport, resume, call);
    const report = (): void =>
      onProgress({ id: upload.id, sentBytes: upload.offset, totalBytes: source.byteLength });
    checkLength(upload, source);
    report();
    for (let failures = 0; !upload.complete; ) {
      const { offset } = upload;
      const { bytes, isLast } = await source.read(offset, pieceBytes);
      try {
        await append(transport, upload, bytes, isLast, call);
        const reached = offset + sizeOf(bytes);
        upload = {
          ...upload,
          offset: reached,
          complete: isLast,
          ...(isLast ? { byte_length: reached } : {}),
        };
      } catch (error) {
        failures += 1;
        if (signal?.aborted || failures >= transport.attempts || !canResume(error)) throw error;
        const wantedMs = error instanceof GeomillProblem ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
        await delay(Math.max(transport.pauseMs(failures - 1), wantedMs), signal);
        upload = await findUpload(transport, upload.id, call);
      }
      if (upload.offset > offset) failures = 0;
      if (upload.offset > offset) report();
    }
    // With the time when it expires, which is later than at the creation.
    return new UploadedFile(transport, await findUpload(transport, upload.id, call));
  } finally {
    await source.close();
  }
}

/** As GeomillClient.uploaded, also of one that is not complete. */
export function findUpload(transport: Transport, id: string, options: CallOptions): Promise<Upload> {
  return transport.json<Upload>({ path: pathOf(id), ...options });
}

/** Sent again if no answer comes: an upload too many expires by itself. */
async function create(
  transport: Transport,
  fileName: string,
  byteLength: number | null,
  options: CallOptions,
): Promise<Upload> {
  const length: Record<string, string> =
    byteLength === null ? { 'upload-defer-length': '1' } : { 'upload-length': `${byteLength}` };
  const response = await transport.send({
    method: 'POST',
    path: '/v1/uploads',
    headers: { ...TUS, ...length, 'upload-metadata': `filename ${base64(fileName)}` },
    isRepeatable: true,
    ...options,
  });
  return (await response.json()) as Upload;
}

async function append(
  transport: Transport,
  { id, offset, byte_length: known }: Upload,
  content: Blob | Uint8Array<ArrayBuffer>,
  isLast: boolean,
  options: CallOptions,
): Promise<void> {
  await transport.send({
    method: 'PATCH',
    path: pathOf(id),
    headers: {
      ...TUS,
      'upload-offset': `${offset}`,
      ...(isLast && known === null ? { 'upload-length': `${offset + sizeOf(content)}` } : {}),
    },
    body: () => ({ content, mediaType: 'application/offset+octet-stream' }),
    isRepeatable: false,
    hasRepeatableBody: true,
    ...options,
  });
}

/** Throws if the input cannot be the file of the upload. */
function checkLength({ id, byte_length: known, offset }: Upload, { byteLength }: PieceSource): void {
  if (byteLength === null || (known === null ? offset <= byteLength : known === byteLength)) return;
  throw new Error(`upload '${id}' has a length of ${known ?? offset} bytes, but the file has ${byteLength}`);
}

function canResume(error: unknown): boolean {
  // fetch throws a TypeError if no response arrives.
  return error instanceof GeomillProblem
    ? RESUMABLE_STATUSES.includes(error.status)
    : error instanceof TypeError;
}

function pathOf(id: string): string {
  return `/v1/uploads/${encodeURIComponent(id)}`;
}

function sizeOf(content: Blob | Uint8Array): number {
  return content instanceof Blob ? content.size : content.length;
}

/** Of the UTF-8 of a text. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
