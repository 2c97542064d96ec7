/**
 * Reads the form of a job: the config into memory (it is small), files straight to disk, parts in any order.
 *
 *   transform, inspect   config, input_file or file
 *   append               config, file (the target), files ...
 *   merge                config, files ..., optionally file, which then counts first
 *   all of them          optionally mask, mask_NAME: files of features for steps that refer to them
 *                        fields of the config as parts of their own, if there is no part config
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { formatOfPart } from '@geomill/formats/format-by-id.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import { isFilePart, MAX_STEPS } from '@geomill/operations/requested-steps.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import type { FastifyRequest } from 'fastify';
import { asBodyFailure } from './body-failure.ts';
import { httpErrors } from './errors.ts';
import type { JsonBodyPiece } from './json-body/body-parts.ts';
import { ConfigCounts, configLimits } from './json-body/config-limits.ts';
import { ConfigScanner } from './json-body/config-scanner.ts';
import { ConfigText, type SyntaxFailure } from './json-body/config-text.ts';
import { configOfFields } from './plain-fields.ts';
import type { FileRole, ReceivedFiles } from './received-files.ts';

/** Both names are accepted. */
const CONFIG_PARTS: readonly string[] = ['config', 'payload'];
/** Parts beside the files: the config, and some that mean nothing here. */
const MAX_OTHER_PARTS = 50;

export interface FileParts {
  /** Names of the part that may occur once; the first one is documented. */
  readonly single: readonly string[];
  readonly singleRequired: boolean;
  /** Name of the part that occurs once or more; null: no such part. */
  readonly list: string | null;
}

export function filePartsOf({ operation, inputFormat }: Endpoint): FileParts {
  const list = operation === 'append' || operation === 'merge' ? 'files' : null;
  if (list !== null) return { single: ['file'], singleRequired: operation === 'append', list };
  const names = inputFormat === null ? ['input_file', 'file'] : ['file', 'input_file'];
  return { single: names, singleRequired: true, list };
}

/** Inputs that the config has, instead of files. */
export interface ConfigInputs {
  /** Path of the URL or upload that replaces the single file; null: none does. */
  readonly singlePath: string | null;
  readonly hasList: boolean;
}

export const NO_CONFIG_INPUTS: ConfigInputs = { singlePath: null, hasList: false };

export interface FormOptions {
  /**
   * The form comes from a page: files without name and content are left out, because browsers send them for fields in which no
   * file was chosen. Absent: they are errors.
   */
  readonly isFromPage?: true;
  readonly files: ReceivedFiles;
  readonly parts: FileParts;
  /** False: a form without config counts as one with an empty config. */
  readonly needsConfig: boolean;
  /** Names of the parts that hold files of features for steps (see `isFilePart`), and of the parameters that can be stored as files. */
  readonly stepParts: readonly string[];
  readonly fileParameters: ReadonlySet<string>;
  /** Schemas of config fields by name; they may be sent as parts of their own if there is no part `config`. */
  readonly plainFields: () => ReadonlyMap<string, JsonSchema>;
  /** Called with the config as soon as it is received, so that an invalid one ends the request before files are sent. */
  onConfig(config: unknown): Promise<ConfigInputs>;
}

export interface JobForm {
  readonly unknownParts: readonly string[];
  /** Received parts with files of features for steps. */
  readonly stepParts: ReadonlySet<string>;
  /** Of the config's bytes, in hexadecimal. */
  readonly configHash: string;
}

/**
 * Throws PART_MISSING, PART_DUPLICATE, CONFIG_NOT_JSON, LIMIT_EXCEEDED, INPUT_EMPTY, BODY_TRUNCATED, MULTIPART_INVALID
 * and what `onConfig` throws. The caller discards the files received until then.
 */
export async function receiveJobForm(request: FastifyRequest, options: FormOptions): Promise<JobForm> {
  const reader = new FormReader(options);
  // One file more than allowed, so that the error can name the setting.
  const maxParts = options.files.limits.maxFiles + 1 + MAX_STEPS + MAX_OTHER_PARTS;
  try {
    // Every part is read as a stream: the parser would decode and truncate fields.
    const limits = { fileSize: Number.POSITIVE_INFINITY, files: maxParts, parts: maxParts };
    for await (const part of request.parts({ limits, isPartAFile: () => true })) {
      if (part.type !== 'file') continue;
      await reader.readPart(part.fieldname, part.filename, part.file);
    }
    return await reader.finish();
  } catch (error) {
    throw asBodyFailure(error);
  }
}

class FormReader {
  readonly #options: FormOptions;
  #configPart: string | null = null;
  #configHash = '';
  #singlePart: string | null = null;
  #configInputs = NO_CONFIG_INPUTS;
  /** Names of all parts in the order received. */
  readonly #came = new Set<string>();
  readonly #stepParts = new Set<string>();
  readonly #unknownParts: string[] = [];
  readonly #plainTexts = new Map<string, string>();
  #plainBytes = 0;
  #singleFile = '';

  constructor(options: FormOptions) {
    this.#options = options;
  }

  async readPart(name: string | undefined, fileName: string | undefined, stream: Readable): Promise<void> {
    const part = name ?? '';
    const { stepParts, parts } = this.#options;
    const { single, list } = parts;
    const isOptional = this.#options.isFromPage === true && (fileName ?? '') === '';
    this.#came.add(part);
    if (CONFIG_PARTS.includes(part)) {
      if (this.#configPart !== null) throw duplicate(part, this.#configPart);
      this.#configPart = part;
      this.#configInputs = await this.#options.onConfig(await this.#readConfig(part, stream));
      this.#refuseTwoInputs();
    } else if (single.includes(part)) {
      const advice = shapefileAdvice([this.#singleFile, fileName ?? '']);
      if (this.#singlePart !== null) throw duplicate(part, this.#singlePart, advice);
      this.#singlePart = part;
      this.#singleFile = fileName ?? '';
      this.#refuseTwoInputs();
      await this.#readFile('single', plainFileName(fileName, '') || null, stream);
    } else if (part === list) {
      await this.#readFile('list', plainFileName(fileName, '') || null, stream, null, isOptional);
    } else if (isFilePart(stepParts, part)) {
      if (this.#stepParts.has(part)) throw duplicate(part, part);
      // More than there can be steps.
      if (this.#stepParts.size >= MAX_STEPS)
        throw failure(httpErrors.MULTIPART_INVALID, {
          reason: `it has more than ${MAX_STEPS} files for steps`,
        });
      const name = plainFileName(fileName, '') || part;
      if (await this.#readFile('step file', name, stream, part, isOptional)) this.#stepParts.add(part);
    } else if (this.#configPart === null && this.#options.plainFields().has(part)) {
      if (this.#plainTexts.has(part)) throw duplicate(part, part);
      this.#plainTexts.set(part, await this.#readText(stream));
    } else {
      if (this.#unknownParts.push(part) > MAX_OTHER_PARTS)
        throw failure(httpErrors.MULTIPART_INVALID, {
          reason: `it has more than ${MAX_OTHER_PARTS} unknown parts`,
        });
      for await (const chunk of stream as AsyncIterable<Buffer>) this.#options.files.pass(chunk.length);
    }
  }

  async finish(): Promise<JobForm> {
    const { files, parts, needsConfig, onConfig } = this.#options;
    if (this.#configPart !== null) this.#unknownParts.push(...this.#plainTexts.keys());
    else if (this.#plainTexts.size > 0) await this.#takePlainFields();
    else if (needsConfig) throw this.#missing('config');
    else this.#configInputs = await onConfig({});
    const { singlePath, hasList } = this.#configInputs;
    if (parts.singleRequired && this.#singlePart === null && singlePath === null)
      throw this.#missing(parts.single[0]);
    if (parts.list !== null && files.count('list') === 0 && !hasList) throw this.#missing(parts.list);
    return { unknownParts: this.#unknownParts, stepParts: this.#stepParts, configHash: this.#configHash };
  }

  async #takePlainFields(): Promise<void> {
    const config = configOfFields(this.#plainTexts, this.#options.plainFields());
    this.#configHash = createHash('sha256').update(JSON.stringify(config)).digest('hex');
    this.#configInputs = await this.#options.onConfig(config);
    this.#refuseTwoInputs();
  }

  /** All such parts together are limited as a config. */
  async #readText(stream: Readable): Promise<string> {
    const chunks: Buffer[] = [];
    const { maxConfigBytes } = this.#options.files.limits;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      this.#plainBytes += chunk.length;
      if (this.#plainBytes > maxConfigBytes)
        throw failure(generalErrors.LIMIT_EXCEEDED, {
          what: 'the size of the config fields of the form in bytes',
          actual: this.#plainBytes,
          limit: maxConfigBytes,
          setting: 'MAX_CONFIG',
        });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }

  /** Called when either is received, before the file is read. */
  #refuseTwoInputs(): void {
    const { singlePath } = this.#configInputs;
    if (singlePath === null || this.#singlePart === null) return;
    const detail = `part '${this.#singlePart}' and '${singlePath}' both state the input; send one of them`;
    throw failure(generalErrors.CONFIG_INVALID, { detail });
  }

  async #readConfig(part: string, stream: Readable): Promise<unknown> {
    const { fileParameters, files } = this.#options;
    const notJson: SyntaxFailure = ({ line, column, offset }, reason) =>
      failure(httpErrors.CONFIG_NOT_JSON, { part, line, column, reason }, { line, column, offset });
    const text = new ConfigText(files.limits.maxConfigBytes);
    const counts = new ConfigCounts(`part '${part}'`, configLimits(files.limits));
    const scanner = new ConfigScanner(text, counts, fileParameters, notJson);
    const hash = createHash('sha256');
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      const pieces: JsonBodyPiece[] = [];
      for (let at = 0; at < chunk.length; ) at = scanner.scan(chunk, at, chunk.length, pieces);
      for (const piece of pieces)
        if (piece.kind === 'begin-step-file') await files.begin(piece.path, 'step value', piece.path);
        else if (piece.kind === 'bytes') await files.write(piece.bytes);
        else if (piece.kind === 'end') await files.end();
    }
    this.#configHash = hash.digest('hex');
    scanner.end();
    const config = text.parse(notJson);
    if (scanner.restore(config)) return config;
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: `a parameter of 'transformations' in part '${part}' came more than once; send exactly one`,
    });
  }

  /** False: nothing was received, which `isOptional` allows. */
  async #readFile(
    role: FileRole,
    name: string | null,
    stream: Readable,
    stepInput: string | null = null,
    isOptional = false,
  ): Promise<boolean> {
    const { files } = this.#options;
    let hasBegun = false;
    const begin = async (): Promise<void> => {
      if (!hasBegun) await files.begin(name, role, stepInput);
      hasBegun = true;
    };
    if (!isOptional) await begin();
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await begin();
      await files.write(chunk);
    }
    if (hasBegun) await files.end();
    return hasBegun;
  }

  #missing(part: string): GeomillError {
    const came = [...this.#came].slice(0, 20).map((name) => `'${name.slice(0, 60)}'`);
    const found = came.length === 0 ? 'the form has no parts' : `the form has ${came.join(', ')}`;
    return failure(httpErrors.PART_MISSING, {
      part,
      found: part === 'config' ? `${found}${this.#plainAdvice()}` : found,
    });
  }

  #plainAdvice(): string {
    const known = this.#options.plainFields();
    const fields = ['input_format', 'output_format'].filter((name) => known.has(name));
    return fields.length === 0 ? '' : `; send it as JSON, or its fields as parts: ${fields.join(', ')}`;
  }
}

function duplicate(part: string, earlier: string, advice = ''): GeomillError {
  return failure(httpErrors.PART_DUPLICATE, {
    part: part === earlier ? part : `${earlier}' or '${part}`,
    advice,
  });
}

/** What to do with the files of a shapefile that were sent one by one; nothing for other files. */
function shapefileAdvice(names: readonly string[]): string {
  if (!names.every((name) => formatOfPart(name) !== null)) return '';
  return ': zip all files of the shapefile together and send the .zip';
}
