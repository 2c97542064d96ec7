/**
 * Reads the form of a job: the config into memory (it is small), the file straight to disk. No part of a file is held
 * beyond the chunk at hand, and nothing looks into it.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { failure, GeomillError } from '../errors.ts';
import { plainFileName } from '../jobs/output-name.ts';
import type { Upload } from '../storage/store.ts';

/** Either name is taken; the second ones are those of the CSV page. */
const CONFIG_PARTS: readonly string[] = ['config', 'payload'];
const FILE_PARTS: readonly string[] = ['input_file', 'file'];
const MAX_PARTS = 50;

export interface FormOptions {
  readonly maxFileBytes: number;
  readonly maxConfigBytes: number;
  /** Compute `JobForm.hash`; costs time on large files. */
  readonly wantHash: boolean;
  /** Opens the place of the file; called at most once. */
  openUpload(): Promise<Upload>;
  /** Is given the config as soon as it has come, so that a bad one ends the request before the file is sent. */
  onConfig(config: unknown): void;
}

export interface JobForm {
  /** Complete but not yet kept. */
  readonly upload: Upload;
  /** Plain file name as the client sent it; null when it sent none. */
  readonly fileName: string | null;
  readonly unknownParts: readonly string[];
  /** Of config, file name and file, in hexadecimal; null when not wanted. */
  readonly hash: string | null;
}

/**
 * Throws PART_MISSING, PART_DUPLICATE, CONFIG_NOT_JSON, LIMIT_EXCEEDED, BODY_TRUNCATED, MULTIPART_INVALID and what
 * `onConfig` throws. Whatever it throws, the upload is gone.
 */
export async function receiveJobForm(request: FastifyRequest, options: FormOptions): Promise<JobForm> {
  const reader = new FormReader(options);
  try {
    // Every part as a stream, whatever its headers say: the parser's own idea of a field decodes JSON and cuts.
    const limits = { fileSize: Number.POSITIVE_INFINITY, files: MAX_PARTS, parts: MAX_PARTS };
    for await (const part of request.parts({ limits, isPartAFile: () => true })) {
      if (part.type !== 'file') continue;
      await reader.readPart(part.fieldname, part.filename, part.file);
    }
    return reader.finish();
  } catch (error) {
    await reader.upload?.discard();
    throw recognize(error);
  }
}

class FormReader {
  upload: Upload | null = null;
  readonly #options: FormOptions;
  #configPart: string | null = null;
  #filePart: string | null = null;
  #fileName: string | null = null;
  readonly #unknownParts: string[] = [];
  readonly #configHash: Hash | null;
  readonly #fileHash: Hash | null;

  constructor(options: FormOptions) {
    this.#options = options;
    this.#configHash = options.wantHash ? createHash('sha256') : null;
    this.#fileHash = options.wantHash ? createHash('sha256') : null;
  }

  async readPart(name: string | undefined, fileName: string | undefined, stream: Readable): Promise<void> {
    const part = name ?? '';
    if (CONFIG_PARTS.includes(part)) {
      if (this.#configPart !== null) throw duplicate(part, this.#configPart);
      this.#configPart = part;
      this.#options.onConfig(await this.#readConfig(part, stream));
    } else if (FILE_PARTS.includes(part)) {
      if (this.#filePart !== null) throw duplicate(part, this.#filePart);
      this.#filePart = part;
      this.#fileName = fileName === undefined ? null : plainFileName(fileName, '') || null;
      await this.#readFile(stream);
    } else {
      this.#unknownParts.push(part);
      stream.resume();
    }
  }

  finish(): JobForm {
    if (this.#configPart === null) throw this.#missing('config');
    if (this.upload === null) throw this.#missing('input_file');
    const hash =
      this.#configHash === null || this.#fileHash === null
        ? null
        : createHash('sha256')
            .update(this.#configHash.digest())
            .update(this.#fileHash.digest())
            .update(this.#fileName ?? '')
            .digest('hex');
    return { upload: this.upload, fileName: this.#fileName, unknownParts: this.#unknownParts, hash };
  }

  async #readConfig(part: string, stream: Readable): Promise<unknown> {
    const { maxConfigBytes } = this.#options;
    const chunks: Buffer[] = [];
    let byteLength = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      byteLength += chunk.length;
      if (byteLength > maxConfigBytes)
        throw failure('LIMIT_EXCEEDED', {
          what: `part '${part}'`,
          actual: `more than ${maxConfigBytes} bytes`,
          limit: `${maxConfigBytes} bytes`,
          setting: 'MAX_CONFIG',
        });
      this.#configHash?.update(chunk);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\ufeff/, '');
    try {
      return JSON.parse(text);
    } catch (error) {
      const reason = text.trim() === '' ? 'it is empty' : (error as Error).message;
      throw failure('CONFIG_NOT_JSON', { part, reason });
    }
  }

  async #readFile(stream: Readable): Promise<void> {
    const { maxFileBytes, openUpload } = this.#options;
    const upload = await openUpload();
    this.upload = upload;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (upload.byteLength + chunk.length > maxFileBytes) throw fileTooLarge('more than that', maxFileBytes);
      this.#fileHash?.update(chunk);
      await upload.write(chunk);
    }
  }

  #missing(part: string): GeomillError {
    const came = [this.#configPart, this.#filePart, ...this.#unknownParts].filter((name) => name !== null);
    const found =
      came.length === 0
        ? 'the form has no parts'
        : `the form has ${[...new Set(came)].map((name) => `'${name.slice(0, 60)}'`).join(', ')}`;
    return failure('PART_MISSING', { part, found });
  }
}

/** `actual`: what is known about the size, in words. */
export function fileTooLarge(actual: string, limitBytes: number): GeomillError {
  return failure('LIMIT_EXCEEDED', {
    what: 'the upload',
    actual,
    limit: `${limitBytes} bytes`,
    setting: 'MAX_UPLOAD',
  });
}

function duplicate(part: string, earlier: string): GeomillError {
  return failure('PART_DUPLICATE', { part: part === earlier ? part : `${earlier}' or '${part}` });
}

/** Errors of the multipart parser and of the connection as ours; those of the disk stay what they are: our fault. */
function recognize(error: unknown): unknown {
  if (error instanceof GeomillError || !(error instanceof Error)) return error;
  const { message } = error;
  if ('syscall' in error && !/ECONNRESET|EPIPE/.test(message)) return error;
  if (/terminated early|unexpected end|closed before|premature|aborted|ECONNRESET|EPIPE/i.test(message))
    return failure('BODY_TRUNCATED', { reason: message }, undefined, error);
  return failure('MULTIPART_INVALID', { reason: message }, undefined, error);
}
