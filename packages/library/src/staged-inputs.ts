/** The inputs of a call as files that the readers can read at any place. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { contentOf } from '@geomill/formats/content.ts';
import type { InputFormat } from '@geomill/formats/format.ts';
import { folderFormat } from '@geomill/formats/recognise.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { safeName } from '@geomill/io/safe-name.ts';
import type { InputPath } from '@geomill/pipeline/request.ts';
import { writeBlob, writeStream } from '@geomill/platform/file-streams.ts';
import { makeDirectory, realPath } from '@geomill/platform/files.ts';
import { fileName, joinedPath, pathOfUrl } from '@geomill/platform/paths.ts';
import type { OpenCall } from './call.ts';
import { inputFormatOf } from './choose-format.ts';
import { isFetched } from './fetch-source.ts';
import { geojsonText, isGeojson } from './geojson-text.ts';
import { invalidJob } from './messages.ts';
import { statOf } from './output-path.ts';
import type { Input, InputOptions, Source } from './types.ts';

/** An input with its members of a job document. */
export interface StatedInput {
  readonly source: Source;
  /** Undefined: the name of the path or of the File. */
  readonly name: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface StagedInput extends InputPath {
  /** The path as the caller knows it; null: the input is data. */
  readonly userPath: string | null;
  /** Its data is GeoJSON values. */
  readonly isGeojson: boolean;
}

/** `where`: names the input in messages. Throws CONFIG_INVALID. */
export function statedInput(input: Input | undefined, where: string): StatedInput {
  if (input === undefined || input === null)
    throw invalidJob(`'${where}' is required: the path of a file, its bytes, or GeoJSON`);
  if (typeof input !== 'string' && typeof input !== 'object') throw notAnInput(where);
  if (!isInputOptions(input)) return { source: input, name: undefined, members: {} };
  const { path, data, name, ...members } = input;
  if (path !== undefined && data !== undefined)
    throw invalidJob(`'${where}.data' contradicts '${where}.path'; state the input once`);
  const source = path ?? data;
  if (source !== undefined && typeof source !== 'string' && (typeof source !== 'object' || source === null))
    throw notAnInput(where);
  if (source === undefined)
    throw invalidJob(`'${where}' has neither 'path' nor 'data'; state the file or its content`);
  for (const key of ['url', 'upload'])
    if (key in members)
      throw invalidJob(`'${where}.${key}' is possible only in a request to a service; use 'path' or 'data'`);
  return { source, name, members };
}

function notAnInput(where: string): Error {
  return invalidJob(
    `'${where}' must be a path, a URL, a Blob, bytes, a stream of bytes, GeoJSON or features of it`,
  );
}

function isInputOptions(input: Input): input is InputOptions {
  return (
    typeof input === 'object' &&
    [Object.prototype, null].includes(Object.getPrototypeOf(input)) &&
    !isGeojson(input) &&
    !(Symbol.iterator in input) &&
    !(Symbol.asyncIterator in input)
  );
}

/** Writes what is not a file to `directory`. Throws FILE_NOT_FOUND, CONFIG_INVALID, CANCELLED, and what fetching throws. */
export async function stageInput(
  { source, name }: StatedInput,
  where: string,
  directory: string,
  { fetched, signal }: Pick<OpenCall, 'fetched' | 'signal'>,
): Promise<StagedInput> {
  if (isFetched(source))
    return { ...(await fetched.file(source, where, name)), userPath: null, isGeojson: false };
  if (typeof source === 'string' || source instanceof URL) return fileOf(pathOf(source, where), name);
  const named = name ?? (source instanceof File ? source.name : undefined);
  const values = await valuesOf(source, where);
  const shown = named ?? (values.isGeojson ? 'features.geojson' : 'data');
  makeDirectory(directory);
  const path = joinedPath(directory, safeName(shown, 'input', 200));
  try {
    if (source instanceof Blob) await writeBlob(path, source, signal);
    else await writeStream(path, values.bytes, signal);
  } catch (error) {
    if (signal.aborted) throw failure(generalErrors.CANCELLED, {}, undefined, error);
    throw error;
  }
  const unnamed = named === undefined ? { isUnnamed: true as const } : {};
  return { path, name: shown, ...unnamed, userPath: null, isGeojson: values.isGeojson };
}

/** The path that a string or file: URL names. Throws CONFIG_INVALID. */
export function pathOf(source: string | URL, where: string): string {
  const text = String(source);
  if (source instanceof URL || /^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
    if (/^file:/i.test(text)) return pathOfUrl(new URL(text));
    throw invalidJob(
      `'${where}' is the URL '${text.replace(/[?#].*$/s, '')}', and must be the path of a file`,
    );
  }
  if (text === '') throw invalidJob(`'${where}' is an empty path`);
  return text;
}

function fileOf(path: string, name: string | undefined): StagedInput {
  const stats = statOf(path);
  if (stats === null) throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: 'there is no such file' });
  if (stats.isDirectory && folderFormat(path) === null)
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: 'it is a directory' });
  // SQLite keeps its log beside the file that a link leads to.
  return { path: realPath(path), name: name ?? fileName(path), userPath: path, isGeojson: false };
}

interface Values {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly isGeojson: boolean;
}

async function valuesOf(source: Exclude<Source, string | URL>, where: string): Promise<Values> {
  if (source instanceof Uint8Array) return { bytes: piecesOf(source), isGeojson: false };
  if (source instanceof Blob) return { bytes: source.stream(), isGeojson: false };
  if (isGeojson(source) || Array.isArray(source) || Symbol.iterator in source)
    return { bytes: geojsonText(source, where), isGeojson: true };
  if (!(Symbol.asyncIterator in source)) throw notAnInput(where);
  const iterator: AsyncIterator<unknown> = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  const all = resumed(first, iterator);
  if (first.done !== true && first.value instanceof Uint8Array)
    return { bytes: onlyBytes(all, where), isGeojson: false };
  return { bytes: geojsonText(all, where), isGeojson: true };
}

/** The items of an iterator, of which the first was taken. The iterator is ended when the reader ends early. */
async function* resumed(
  first: IteratorResult<unknown>,
  iterator: AsyncIterator<unknown>,
): AsyncGenerator<unknown> {
  let next = first;
  try {
    for (; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    if (next.done !== true) await iterator.return?.();
  }
}

const PIECE_BYTES = 1 << 22;

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* onlyBytes(items: AsyncIterable<unknown>, where: string): AsyncGenerator<Uint8Array> {
  for await (const item of items) {
    if (!(item instanceof Uint8Array)) throw invalidJob(`'${where}' gives other values after bytes`);
    yield item;
  }
}

/** By the name of the file and its content. Throws CONFIG_INVALID if neither shows it. */
export function formatOfInput(
  { path, name, isUnnamed, userPath, isGeojson: isValue }: StagedInput,
  where: string,
): InputFormat {
  const ofValues = isValue ? inputFormats.find(({ jsonSchema }) => jsonSchema !== null) : undefined;
  if (ofValues !== undefined) return ofValues;
  const key = {
    name: `${where}.format`,
    advice: `set '${where}.format' to one of`,
    directoryAdvice: '',
    refuse: invalidJob,
  };
  const file = {
    name: isUnnamed === true ? '' : name,
    shown: userPath ?? name,
    nameless: `cannot tell the format of '${where}', which has no name`,
    content: () => contentOf(path),
  };
  return inputFormatOf(file, key);
}
