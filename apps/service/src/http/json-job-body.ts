/** Reads a JSON body with inputs: each document is written to its own file, the rest is the config. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { JsonDocuments } from '@geomill/requests/config-schema.ts';
import { httpErrors } from './errors.ts';
import type { ConfigInputs } from './job-form.ts';
import type { JsonBody } from './json-body/body-parts.ts';
import { configLimits } from './json-body/config-limits.ts';
import { JsonBodySplitter } from './json-body/split.ts';
import type { ReceivedFiles } from './received-files.ts';
import { bodyTooLarge } from './submission.ts';

export interface JsonBodyOptions {
  readonly files: ReceivedFiles;
  /** Null: the body has no documents. */
  readonly documents: JsonDocuments | null;
  readonly fileParameters: ReadonlySet<string>;
}

export interface ReceivedJsonBody {
  readonly config: Readonly<Record<string, unknown>>;
  /** Of the config's members, in hexadecimal. */
  readonly configHash: string;
  /** Number of documents by member. */
  readonly documentCounts: JsonBody['documentCounts'];
}

const NO_DOCUMENTS = { single: '', list: null } as const;

/**
 * Throws BODY_NOT_JSON, BODY_MEMBER_INVALID, BODY_TRUNCATED and LIMIT_EXCEEDED. The caller checks the documents and discards the
 * files received until then.
 */
export async function receiveJsonBody(
  request: IncomingMessage,
  options: JsonBodyOptions,
): Promise<ReceivedJsonBody> {
  const { documents, fileParameters } = options;
  const { limits } = options.files;
  const { single, list } = documents ?? NO_DOCUMENTS;
  const splitter = new JsonBodySplitter(
    { documents: single === '' ? [] : [single], documentLists: list === null ? [] : [list], fileParameters },
    {
      config: configLimits(limits),
      maxDocuments: limits.maxFiles,
      maxDocumentsSetting: 'MAX_FILES',
    },
  );
  let byteLength = 0;
  try {
    // Not destroyed on an error, so that the client receives the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      byteLength += chunk.length;
      if (byteLength > limits.maxJsonBodyBytes) throw bodyTooLarge('more than that', limits.maxJsonBodyBytes);
      await writePieces(splitter, chunk, options);
    }
  } catch (error) {
    throw recognize(error);
  }
  const body = splitter.finish();
  const configHash = createHash('sha256').update(JSON.stringify(body.config)).digest('hex');
  return { config: body.config, configHash, documentCounts: body.documentCounts };
}

async function writePieces(
  splitter: JsonBodySplitter,
  chunk: Uint8Array,
  { files, documents }: JsonBodyOptions,
): Promise<void> {
  for (const piece of splitter.push(chunk)) {
    if (piece.kind === 'begin')
      await files.begin(piece.path, piece.member === documents?.list ? 'list' : 'single');
    else if (piece.kind === 'begin-step-file') await files.begin(piece.path, 'step value', piece.path);
    else if (piece.kind === 'bytes') await files.write(piece.bytes);
    else await files.end();
  }
}

/** Checks that there are inputs: documents, or what the config has instead. Throws BODY_MEMBER_INVALID, CONFIG_INVALID. */
export function requireDocuments(
  { documentCounts, config }: Pick<ReceivedJsonBody, 'documentCounts' | 'config'>,
  { single, singleRequired, list, format }: JsonDocuments,
  { singlePath, hasList }: ConfigInputs,
): void {
  if (singlePath !== null && documentCounts.has(single))
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: `'${single}' and '${singlePath}' both state the input; send one of them`,
    });
  const came = [...documentCounts.keys(), ...Object.keys(config)];
  const missing = (path: string, what: string): GeomillError =>
    failure(httpErrors.BODY_MEMBER_INVALID, {
      path,
      reason: `is required: ${what}; ${came.length === 0 ? 'the body has no members' : `the body has ${quoted(came)}`}`,
    });
  if (singleRequired && !documentCounts.has(single) && singlePath === null)
    throw missing(single, `a ${format} object`);
  if (list === null || (hasList && documentCounts.get(list) !== 0)) return;
  if (!documentCounts.has(list)) throw missing(list, `a list of ${format} objects`);
  if (documentCounts.get(list) === 0)
    throw failure(httpErrors.BODY_MEMBER_INVALID, {
      path: list,
      reason: `is empty; give at least one ${format} object`,
    });
}

function quoted(names: readonly string[]): string {
  return names
    .slice(0, 20)
    .map((name) => `'${name.slice(0, 60)}'`)
    .join(', ');
}

/** `actual`: the size in words. */

/** Turns errors of the connection into coded errors. Disk errors stay internal errors. */
function recognize(error: unknown): unknown {
  if (error instanceof GeomillError || !(error instanceof Error)) return error;
  const { message } = error;
  if (/aborted|ECONNRESET|EPIPE|premature/i.test(message))
    return failure(httpErrors.BODY_TRUNCATED, { reason: message }, undefined, error);
  return error;
}
