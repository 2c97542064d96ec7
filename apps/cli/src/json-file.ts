/** Reads the JSON documents of a command line. */
import { readFileSync } from 'node:fs';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { JsonTextError, parseJsonText } from '@geomill/core/text/json-syntax.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { readFailure } from './files.ts';

/** Largest document, which may hold masks. */
const MAX_DOCUMENT_BYTES = 64 << 20;

let hasReadStandardInput = false;

/** Whether a document was read from standard input, which can be read only once. */
export function wasStandardInputRead(): boolean {
  return hasReadStandardInput;
}

/** The value in a file, or in standard input if `path` is '-'. `name`: the file in messages. Throws FILE_NOT_FOUND and USAGE. */
export function readJson(path: string, name = path): unknown {
  let bytes: Uint8Array;
  hasReadStandardInput ||= path === '-';
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: readFailure(error) }, undefined, error);
  }
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw failure(generalErrors.USAGE, {
      detail: `${name} has ${bytes.length} bytes, and the limit for a document of steps is ${MAX_DOCUMENT_BYTES} bytes; store large masks as files`,
    });
  try {
    return parseJsonText(bytes);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw failure(
      generalErrors.USAGE,
      { detail: `${name} is not valid JSON at ${error.message}` },
      error.position,
      error,
    );
  }
}
