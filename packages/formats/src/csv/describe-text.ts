/** Describes how a CSV is read, also if it cannot be: encoding, columns and first rows, from the beginning of the file. */

import { encodingCandidates } from '@geomill/core/bytes/encoding-candidates.ts';
import { isAsciiCompatible } from '@geomill/core/bytes/text-encoding.ts';
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { COMMA, CR, LF, PIPE, QUOTE, SEMICOLON, TAB } from '@geomill/core/text/ascii.ts';
import { createFileSink } from '@geomill/io/byte-sink.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { sampleTextFile } from '@geomill/io/text-samples.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import type { FileText, InputFile, OpenContext, TextTable } from '../reader.ts';
import { likelyHeader } from '../tables/find-header.ts';
import type { GeometryPlace } from '../tables/geometry-place.ts';
import type { HeaderReading } from '../tables/located.ts';
import { BLANK_LINE, MALFORMED, RecordScanner, TRUNCATED } from '../tables/records.ts';
import { rowGeometry } from '../tables/row-geometry.ts';
import { CellBytes } from '../tables/sample.ts';
import { decodeLoosely } from '../tables/transcode.ts';
import { csvMessages } from './messages.ts';
import { textEncoding } from './open.ts';

/** Bytes of the file by which the columns are described. */
const HEAD_BYTES = 512 << 10;
const MAX_ROWS = 8;
const MAX_COLUMNS = 100;
const MAX_CHARACTERS = 60;

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT and TEXT_ENCODING_UNKNOWN. */
export function describeText(file: InputFile, context: OpenContext): FileText {
  using input = openFileSource(file.path);
  if (input.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  const { encoding, origin } = textEncoding(file, input, context);
  const separators = [COMMA, SEMICOLON, TAB, PIPE, QUOTE, CR, LF];
  const samples = isAsciiCompatible(encoding) ? sampleTextFile(input, separators).texts : [];
  // What the file is likely in, if it is not valid in the encoding it is read in.
  const [likely] = encodingCandidates(samples, encoding);
  const path = joinedPath(context.scratchDirectory, 'text-head.csv');
  writeHead(input, origin === 'default' && likely !== undefined ? likely.encoding : encoding, path);
  using head = openFileSource(path);
  return { encoding, origin, samples, table: tableOf(file, head, context) };
}

/** The beginning of the file as UTF-8, up to a line end. */
function writeHead(input: ByteSource, encoding: string, path: string): void {
  const bytes = input.slice(0, HEAD_BYTES);
  const isWhole = bytes.length === input.byteLength;
  const text = decodeLoosely(bytes, encoding);
  const end = isWhole ? text.length : Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
  const sink = createFileSink(path);
  try {
    sink.append(new TextEncoder().encode(end > 0 ? text.slice(0, end) : text));
  } finally {
    sink.close();
  }
}

/** Null: not even the header can be read. */
function tableOf(file: InputFile, head: ByteSource, context: OpenContext): TextTable | null {
  if (head.byteLength === 0) return null;
  try {
    const { reading, place, hasHeader } = likelyHeader(file, head, context, csvMessages);
    const { delimiter, names, line } = reading;
    return {
      delimiter: String.fromCharCode(delimiter),
      headerLine: hasHeader ? line : null,
      columns: names.slice(0, MAX_COLUMNS).map(shortened),
      columnCount: names.length,
      rows: rowsOf(head, reading, place),
      options: place === null ? null : optionsOf(place, names),
    };
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    return null;
  }
}

function rowsOf(head: ByteSource, reading: HeaderReading, place: GeometryPlace | null): TextTable['rows'] {
  const { delimiter, newline, names, dataStart } = reading;
  const bytes = head.slice(dataStart.offset, head.byteLength);
  const scanner = new RecordScanner(bytes, true, delimiter, newline, names.length);
  const geometry = place === null ? null : rowGeometry(place, new GeometryBuilder());
  const rows: TextTable['rows'][number][] = [];
  const cell = new CellBytes();
  const decoder = new TextDecoder();
  while (scanner.at < bytes.length && rows.length < MAX_ROWS) {
    const line = dataStart.lines + scanner.lineCount + 1;
    const outcome = scanner.next();
    if (outcome === BLANK_LINE) continue;
    if (outcome === TRUNCATED) break;
    if (outcome === MALFORMED) {
      rows.push({ line, cells: [], problem: scanner.reason });
      continue;
    }
    const { cellCount, columnCount } = scanner;
    const cells = Array.from({ length: Math.min(cellCount, columnCount, MAX_COLUMNS) }, (_, i) =>
      cell.open(scanner, i) ? shortened(decoder.decode(cell.bytes.subarray(cell.start, cell.end))) : '',
    );
    const isFull = cellCount === columnCount;
    const isRead = !isFull || geometry === null || geometry.read(scanner);
    const ragged = `the row has ${cellCount} ${cellCount === 1 ? 'cell' : 'cells'} and the header ${columnCount}`;
    rows.push({ line, cells, problem: !isFull ? ragged : isRead ? null : (geometry?.reason ?? null) });
  }
  return rows;
}

function shortened(text: string): string {
  const characters = [...text.slice(0, MAX_CHARACTERS * 2)];
  return characters.length > MAX_CHARACTERS || text.length > MAX_CHARACTERS * 2
    ? `${characters.slice(0, MAX_CHARACTERS).join('')}…`
    : text;
}

/** The options that state the place; columns by name, or by number if the name is not their own. */
function optionsOf(place: GeometryPlace, names: readonly string[]): Record<string, unknown> {
  const column = (index: number): string | number =>
    names[index] !== '' && names.indexOf(names[index]) === index ? names[index] : index + 1;
  if (place.kind === 'none') return {};
  if (place.kind === 'column') return { geometry_column: column(place.index) };
  const decimal = place.notation.decimalMark === COMMA ? { decimal_comma: true } : {};
  if (place.kind === 'point')
    return {
      point_column: column(place.index),
      ...(place.order === null ? {} : { point_order: place.order }),
      ...decimal,
    };
  const height = place.z < 0 ? {} : { z_column: column(place.z) };
  if (place.kind === 'pair')
    return { x_column: column(place.x), y_column: column(place.y), ...height, ...decimal };
  const parts = (['x', 'y'] as const).flatMap((axis) => {
    const { degrees, minutes, seconds, hemisphere } = place[axis];
    const named = { '': degrees, minutes_: minutes, seconds_: seconds, hemisphere_: hemisphere };
    return Object.entries(named).flatMap(([part, index]) =>
      index < 0 ? [] : [[`${axis}_${part}column`, column(index)] as const],
    );
  });
  return { ...Object.fromEntries(parts), ...height, ...decimal };
}
