/**
 * Opens a CSV: checks that it is one, determines encoding, line ends, delimiter and columns, and splits it into
 * partitions.
 */

import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { UniqueNames } from '../../batch/unique-names.ts';
import { COMMA, CR, LF } from '../../bytes/ascii.ts';
import { encodingByName } from '../../bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '../../bytes/utf8.ts';
import { asGeomillError, failure } from '../../errors.ts';
import type { Findings } from '../../findings.ts';
import { type ByteSource, openFileSource } from '../../io/byte-source.ts';
import { checkFieldCount } from '../../io/limits.ts';
import type { InputFile, OpenContext, Partition, SourceLayer } from '../format.ts';
import { binaryLookOf, lookOf } from '../recognise.ts';
import { namesColumn, unknownColumn, type WantedColumns, wantedColumns } from './columns.ts';
import { DELIMITERS, delimiterName, delimiterOption } from './delimiter.ts';
import { detectedPlace, noteDecimalCommas, statedPlace } from './locate.ts';
import type { HeaderReading, LocatedGeometry } from './located.ts';
import { notFound } from './not-found.ts';
import {
  CELL_ESCAPED,
  CELL_QUOTED,
  MALFORMED,
  RECORD,
  RecordScanner,
  TRUNCATED,
  unescapeCell,
} from './records.ts';
import { type GeometryPlace, geometryColumns } from './row-geometry.ts';
import { type Sample, sampleRows } from './sample.ts';
import { invalidText, transcodeToUtf8 } from './transcode.ts';

/** Bytes read first for the header; more if the header is longer. */
const HEAD_BYTES = 64 << 10;
const SEARCH_BYTES = 64 << 10;
const MAX_HEADER_BYTES = 16 << 20;
/** Case-sensitive, as the specification says. */
const SPECIFIED_COLUMN = 'geom_wkt';

/** What a worker needs to read records; plain data. */
export interface CsvState {
  /** The UTF-8 text: the input itself or its converted copy. */
  readonly path: string;
  /** The file name for messages. */
  readonly source: string;
  readonly delimiter: number;
  /** The byte used to count lines: LF, or CR if the file has no LF. */
  readonly newline: number;
  readonly hasHeader: boolean;
  readonly names: readonly string[];
  /** Columns with an empty header; if they have no values they only come from trailing delimiters. */
  readonly unnamed: readonly boolean[];
  readonly geometry: GeometryPlace;
  /** The columns of the geometry are fields as well. */
  readonly keepsGeometryColumns: boolean;
  /** Numbers of fields have a decimal comma. */
  readonly hasDecimalComma: boolean;
  readonly onError: 'fail' | 'skip';
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, TEXT_ENCODING_UNKNOWN, TEXT_ENCODING_INVALID, CONFIG_INVALID and CSV_ codes. */
export function openCsv(file: InputFile, context: OpenContext): SourceLayer[] {
  let path = file.path;
  using input = openFileSource(path);
  if (input.byteLength === 0) throw failure('INPUT_EMPTY', { source: file.name });
  const encoding = textEncoding(file, input, context);
  if (encoding !== UTF8) {
    path = join(context.scratchDirectory, 'text.utf8.csv');
    transcodeToUtf8(file.path, encoding, path, file.name);
  }
  using source = openFileSource(path);
  if (source.byteLength === 0) throw failure('INPUT_EMPTY', { source: file.name });
  const { header, located } = readHeader(file, source, context);
  const { options } = context;
  const state: CsvState = {
    path,
    source: file.name,
    ...header,
    keepsGeometryColumns: options.keep_geometry_columns === true,
    hasDecimalComma: options.decimal_comma === true,
    onError: options.on_error === 'skip' ? 'skip' : 'fail',
  };
  return [
    {
      name: layerName(file),
      fields: null,
      featureCount: null,
      crs: null,
      assumedCrs: located.assumedCrs,
      statedExtent: located.extent ?? null,
      hasOutliers: located.hasOutliers,
      crsMissingReason: `a CSV cannot state it${located.doubt === undefined ? '' : `; ${located.doubt}`}`,
      encoding,
      partitions: cut(source, context.partitionBytes, header.newline),
      state,
    },
  ];
}

function layerName({ name }: InputFile): string {
  return name.replace(/\.(csv|tsv|txt)$/i, '') || name;
}

/** The encoding from the byte order mark or the option. Throws if the file is not valid text in it. */
function textEncoding(file: InputFile, source: ByteSource, context: OpenContext): string {
  const head = source.slice(0, 4096);
  const given = context.options.encoding;
  let encoding: string | null = UTF8;
  if (typeof given === 'string') {
    encoding = encodingByName(given);
    if (encoding === null) throw failure('TEXT_ENCODING_UNKNOWN', { encoding: given.slice(0, 40) });
  }
  if (head[0] === 0xff && head[1] === 0xfe) return 'UTF-16LE';
  if (head[0] === 0xfe && head[1] === 0xff) return 'UTF-16BE';
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return UTF8;
  const found = binaryLookOf(head);
  if (found !== null && !/^utf-?(16|32)/i.test(encoding))
    throw failure('INPUT_WRONG_FORMAT', { source: file.name, expected: 'a CSV text file', found });
  return encoding;
}

type Header = Pick<CsvState, 'delimiter' | 'newline' | 'hasHeader' | 'names' | 'unnamed' | 'geometry'>;

function readHeader(
  file: InputFile,
  source: ByteSource,
  context: OpenContext,
): { readonly header: Header; readonly located: LocatedGeometry } {
  const { options, findings } = context;
  const hasHeader = options.has_header !== false;
  const given = delimiterOption(options.delimiter);
  const wanted = wantedColumns(options);
  const { reading, located } = locate(file, source, headerReadings(file, source, context), wanted, findings);
  const { delimiter, newline, names } = reading;
  if (given === null && delimiter !== COMMA)
    findings.note('DELIMITER_FOUND', { source: file.name, delimiter: delimiterName(delimiter) });
  const geometry = located.place;
  if (hasHeader && geometry.kind === 'pair') refuseNumbersAsNames(names[geometry.x], names[geometry.y]);
  if (options.decimal_comma !== true) noteDecimalCommas(reading, geometry, findings);
  const unnamed = names.map((name) => name === '');
  const unique = uniqueNames(names, geometryColumns(geometry), context);
  return {
    header: { delimiter, newline, hasHeader, names: unique, unnamed, geometry },
    located,
  };
}

/** Columns given by number: the first row would be taken for names, and lost. */
function refuseNumbersAsNames(x: string, y: string): void {
  const isNumber = (name: string): boolean =>
    name.trim() !== '' && Number.isFinite(Number(name.replace(',', '.')));
  if (isNumber(x) && isNumber(y)) throw failure('CSV_HEADER_MISSING', { name: x });
}

/** One for each delimiter that is possible, the comma first. Throws what `firstCells` does if there is none. */
function* headerReadings(
  file: InputFile,
  source: ByteSource,
  context: OpenContext,
): Generator<HeaderReading, void> {
  const given = delimiterOption(context.options.delimiter);
  const hasHeader = context.options.has_header !== false;
  let fault: unknown = null;
  let count = 0;
  for (const delimiter of given === null ? DELIMITERS : [given]) {
    let first: FirstRecord;
    try {
      first = firstCells(file, source, delimiter, context);
    } catch (error) {
      // Text after a closing quote is only the sign of another delimiter.
      if (asGeomillError(error).code !== 'CSV_SYNTAX') throw error;
      fault ??= error;
      continue;
    }
    const { cells, newline, start, end, lineCount } = first;
    let sample: Sample | null = null;
    count++;
    yield {
      delimiter,
      newline,
      names: hasHeader ? cells : cells.map((_, i) => `column_${i + 1}`),
      sample: () => {
        sample ??= sampleRows(
          source,
          hasHeader ? end : start,
          delimiter,
          newline,
          cells.length,
          hasHeader ? lineCount : 0,
        );
        return sample;
      },
    };
  }
  if (count === 0) throw fault;
}

function locate(
  file: InputFile,
  source: ByteSource,
  possible: Iterable<HeaderReading>,
  wanted: WantedColumns,
  findings: Findings,
): { readonly reading: HeaderReading; readonly located: LocatedGeometry } {
  const isStated = namesColumn(wanted);
  // A column of heights belongs to columns of coordinates.
  const specified = isStated || wanted.z !== null ? wanted : { ...wanted, geometry: SPECIFIED_COLUMN };
  const readings: HeaderReading[] = [];
  for (const reading of possible) {
    readings.push(reading);
    const located = namesColumn(specified) ? statedPlace(reading, specified, findings) : null;
    if (located !== null) return { reading, located };
  }
  const found = structuredLook(source);
  if (found !== null)
    throw failure('INPUT_WRONG_FORMAT', { source: file.name, expected: 'a CSV file', found });
  const [reading, ...others] = byConsistency(readings);
  if (isStated) throw unknownColumn(wanted, reading.names, reading.delimiter);
  for (const candidate of [reading, ...others]) {
    const located = detectedPlace(candidate, wanted, findings);
    if (located !== null) return { reading: candidate, located };
  }
  throw notFound(reading);
}

/**
 * The readings of which the header has several cells and the rows as many as the header: the best first. The first
 * reading if there is none.
 */
function byConsistency(readings: readonly HeaderReading[]): HeaderReading[] {
  const several = readings.filter(({ names }) => names.length > 1);
  if (several.length === 0) return [readings[0]];
  return several
    .map((reading) => ({ reading, share: reading.sample().share }))
    .sort((a, b) => b.share - a.share || b.reading.names.length - a.reading.names.length)
    .filter(({ share }, i) => i === 0 || share === 1)
    .map(({ reading }) => reading);
}

/** JSON, XML or a format based on them, which is what a text without the geometry column often is; null: neither. */
function structuredLook(source: ByteSource): string | null {
  const head = source.slice(0, 4096);
  return /^(?:\xef\xbb\xbf)?\s*(?:[[{]|<[?!a-z])/i.test(Buffer.from(head).toString('latin1'))
    ? lookOf(head)
    : null;
}

/** Gives every column a unique name: unnamed ones become column_N, repeated ones name_2, name_3, ... */
function uniqueNames(
  names: readonly string[],
  geometryColumns: readonly number[],
  context: OpenContext,
): string[] {
  // A generated name is never equal to a name in the header.
  const unique = new UniqueNames({ firstNumber: 2, taken: names });
  const met = new Set<string>(geometryColumns.map((column) => names[column]));
  return names.map((name, i) => {
    if (geometryColumns.includes(i)) return name;
    if (name !== '' && !met.has(name)) {
      met.add(name);
      return name;
    }
    const base = name === '' ? `column_${i + 1}` : name;
    const to = unique.take(base);
    if (to !== base) context.findings.note('NAME_DUPLICATE', { from: base, to });
    return to;
  });
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface FirstRecord {
  readonly cells: string[];
  /** The byte that lines are counted by. */
  readonly newline: number;
  /** Offset of the first byte of the text. */
  readonly start: number;
  /** Offset after the record. */
  readonly end: number;
  /** Lines before `end`. */
  readonly lineCount: number;
}

/** The first record that is not a blank line. */
function firstCells(
  file: InputFile,
  source: ByteSource,
  delimiter: number,
  context: OpenContext,
): FirstRecord {
  for (let size = HEAD_BYTES; ; size *= 4) {
    const bytes = source.slice(0, size);
    const isComplete = bytes.length === source.byteLength;
    const newline = bytes.includes(LF) || !bytes.includes(CR) ? LF : CR;
    // Two passes: the first counts the cells, the second stores their positions.
    const counter = new RecordScanner(bytes, isComplete, delimiter, newline, 0);
    counter.at = bomLength(bytes);
    const outcome = nextRecord(counter);
    if (outcome === TRUNCATED && size < MAX_HEADER_BYTES) continue;
    if (outcome === TRUNCATED)
      throw failure('CSV_SYNTAX', { line: 1, reason: `the header is longer than ${MAX_HEADER_BYTES} bytes` });
    if (outcome === null) throw failure('INPUT_EMPTY', { source: file.name });
    const line = counter.lineCount;
    if (outcome === MALFORMED)
      throw failure('CSV_SYNTAX', { line: Math.max(line, 1), reason: `in the header: ${counter.reason}` });
    const invalid = isUtf8(bytes.subarray(0, counter.at)) ? -1 : invalidUtf8At(bytes, 0, counter.at);
    if (invalid >= 0) throw invalidText(file.name, invalid, UTF8);
    // At least one of the columns contains the geometries.
    checkFieldCount(layerName(file), counter.cellCount - 1, context.limits);
    const scanner = new RecordScanner(bytes, isComplete, delimiter, newline, counter.cellCount);
    scanner.at = bomLength(bytes);
    nextRecord(scanner);
    return {
      cells: Array.from({ length: scanner.cellCount }, (_, i) => cellText(scanner, i)),
      newline,
      start: bomLength(bytes),
      end: scanner.at,
      lineCount: scanner.lineCount,
    };
  }
}

/** The outcome of the first record that is not a blank line; null if there is none. */
function nextRecord(scanner: RecordScanner): number | null {
  while (scanner.at < scanner.bytes.length) {
    const outcome = scanner.next();
    if (outcome === RECORD || outcome === MALFORMED || outcome === TRUNCATED) return outcome;
  }
  return null;
}

function cellText(scanner: RecordScanner, index: number): string {
  const start = scanner.starts[index];
  const end = scanner.ends[index];
  const flag = scanner.flags[index];
  if ((flag & CELL_ESCAPED) !== 0) {
    const target = new Uint8Array(end - start);
    return decoder.decode(target.subarray(0, unescapeCell(scanner.bytes, start, end, target)));
  }
  const text = decoder.decode(scanner.bytes.subarray(start, end));
  return (flag & CELL_QUOTED) !== 0 ? text : text.trim();
}

/** Length of the UTF-8 byte order mark, 0 without one. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
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
