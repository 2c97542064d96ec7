/** Reads a DWG with the parser, and writes it as tags into the scratch directory, where the reader of drawings reads it. */
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { createFileSink } from '@geomill/io/byte-sink.ts';
import { dwgErrors } from '../messages.ts';
import { bytesOf, codePageOf, parserEncoding } from './code-pages.ts';
import { MAX_DWG_OBJECTS } from './facts.ts';
import { FileFault } from './file-fault.ts';
import { parseDrawing, TooManyObjects } from './parse.ts';
import { TagOutput } from './tag-output.ts';
import { noteUnread } from './unread.ts';
import type { DrawingVersion } from './versions.ts';
import { writeDrawing } from './write-drawing.ts';

const encoder = new TextEncoder();

/** Throws DWG_TRUNCATED, DWG_DAMAGED. */
export function translateDrawing(
  bytes: Uint8Array<ArrayBuffer>,
  version: DrawingVersion,
  fileName: string,
  path: string,
  findings: Findings,
): void {
  const codePage = version.isUnicode ? null : codePageOf(bytes);
  const { label, isExact } = parserEncoding(codePage);
  const drawing = blame(bytes, version, fileName, () => parseDrawing(bytes, version.mark, label));
  const isUtf8 = version.isUnicode || isExact;
  const sink = createFileSink(path);
  try {
    const output = new TagOutput(sink, isUtf8 ? (text) => encoder.encode(text) : bytesOf);
    // The version of a drawing with texts in UTF-8, or of one in its code page.
    const facts = { version: isUtf8 ? 'AC1032' : 'AC1015', codePage: isUtf8 ? UTF8 : codePage };
    const written = blame(bytes, version, fileName, () => writeDrawing(output, drawing, facts));
    noteUnread(drawing, written, version.mark >= 'AC1024', findings);
  } finally {
    sink.close();
  }
}

/** Runs a step; a fault of the file, and whatever damaged objects of the parser cause, becomes an error with the part of the file. */
function blame<Result>(
  bytes: Uint8Array,
  { name: version }: DrawingVersion,
  source: string,
  run: () => Result,
): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw failure(
        dwgErrors.DWG_DAMAGED,
        { source, version, part: 'one of the tables', reason: error.message },
        undefined,
        error,
      );
    if (error instanceof TooManyObjects) {
      const limit = MAX_DWG_OBJECTS;
      throw failure(dwgErrors.DWG_TOO_LARGE, { source, actual: error.actual, what: 'objects', limit });
    }
    if (!(error instanceof FileFault)) throw error;
    const { part, end, message: reason } = error;
    if (end !== null) throw failure(dwgErrors.DWG_TRUNCATED, { source, actual: bytes.length, part, end });
    throw failure(dwgErrors.DWG_DAMAGED, { source, version, part, reason });
  }
}
