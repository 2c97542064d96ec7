/**
 * Opens a CSV: checks that it is one, determines encoding, line ends, delimiter and columns, and splits it into
 * partitions.
 */

import { encodingByName } from '@geomill/core/bytes/text-encoding.ts';
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { isSingleByte } from '@geomill/core/bytes/utf8-evidence.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { COMMA } from '@geomill/core/text/ascii.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { sourceForm } from '@geomill/io/source-form.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { formatErrors } from '../errors.ts';
import type { EncodingOrigin, InputFile, OpenContext, Partition, SourceLayer } from '../reader.ts';
import { binaryLookOf } from '../recognise.ts';
import { delimiterName, delimiterOption } from '../tables/delimiter.ts';
import { findHeader } from '../tables/find-header.ts';
import { tableState } from '../tables/state.ts';
import { transcodeToUtf8 } from '../tables/transcode.ts';
import { csvFindings, csvMessages } from './messages.ts';

const SEARCH_BYTES = 64 << 10;

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, TEXT_ENCODING_UNKNOWN, TEXT_ENCODING_INVALID, CONFIG_INVALID and CSV_ codes. */
export function openCsv(file: InputFile, context: OpenContext): SourceLayer[] {
  let path = file.path;
  using input = openFileSource(path);
  if (input.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  const { encoding, origin } = textEncoding(file, input, context);
  if (encoding !== UTF8) {
    // A request counts more than the text, but texts are hardly ever valid UTF-8 by chance.
    if (isSingleByte(encoding) && sourceForm(input) === 'utf-8')
      context.findings.note(csvFindings.ENCODING_DOUBTFUL, { file: file.name, requested: encoding });
    path = joinedPath(context.scratchDirectory, 'text.utf8.csv');
    transcodeToUtf8(file.path, encoding, path, file.name);
  }
  using source = openFileSource(path);
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  const { header, located } = findHeader(file, layerName(file), source, context, csvMessages);
  const { delimiter, names } = header;
  if (delimiterOption(context.options.delimiter) === null && delimiter !== COMMA && names.length > 1)
    context.findings.note(csvFindings.DELIMITER_FOUND, {
      source: file.name,
      delimiter: delimiterName(delimiter),
    });
  const state = tableState(path, file.name, header, context.options);
  return [
    {
      name: layerName(file),
      fields: null,
      featureCount: null,
      crs: null,
      assumedCrs: located.assumedCrs,
      ...(located.isTable === true ? { isTable: true as const } : {}),
      statedExtent: located.extent ?? null,
      hasOutliers: located.hasOutliers,
      crsMissingReason: `a CSV cannot state it${located.doubt === undefined ? '' : `; ${located.doubt}`}`,
      encoding,
      encodingOrigin: origin,
      partitions: cut(source, context.partitionBytes, header.newline),
      state,
    },
  ];
}

function layerName({ name }: InputFile): string {
  return name.replace(/\.(csv|tsv|txt)$/i, '') || name;
}

/** The encoding from the byte order mark or the option. Throws if the option is unknown or the file is no text. */
export function textEncoding(
  file: InputFile,
  source: ByteSource,
  context: OpenContext,
): { readonly encoding: string; readonly origin: EncodingOrigin } {
  const head = source.slice(0, 4096);
  const given = context.options.encoding;
  let encoding: string | null = UTF8;
  if (typeof given === 'string') {
    encoding = encodingByName(given);
    if (encoding === null)
      throw failure(formatErrors.TEXT_ENCODING_UNKNOWN, { encoding: given.slice(0, 40) });
  }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'UTF-16LE', origin: 'file' };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'UTF-16BE', origin: 'file' };
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: UTF8, origin: 'file' };
  const found = binaryLookOf(head);
  if (found !== null && !/^utf-?(16|32)/i.test(encoding))
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: file.name,
      expected: 'a CSV text file',
      found,
    });
  return { encoding, origin: typeof given === 'string' ? 'request' : 'default' };
}

/** Splits after line ends near multiples of `partitionBytes`. These are guesses, as a line end may be inside quotes. */
function cut(source: ByteSource, partitionBytes: number, newline: number): Partition[] {
  const partitions: Partition[] = [];
  const { byteLength } = source;
  let start = 0;
  while (start < byteLength) {
    let end = start + partitionBytes;
    let found = -1;
    while (end < byteLength && found < 0) {
      const window = source.slice(end, end + SEARCH_BYTES);
      found = window.indexOf(newline);
      end += found < 0 ? window.length : found + 1;
    }
    end = Math.min(end, byteLength);
    partitions.push({ start, end });
    start = end;
  }
  return partitions;
}
