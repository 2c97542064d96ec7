/** Finds the header of a table of text and the geometry in its columns. */
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { phrase } from '@geomill/core/messages/message.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { InputFile, OpenContext } from '../reader.ts';
import { attributesIn } from './attribute-table.ts';
import { namesColumn, type WantedColumns, wantedColumns } from './columns.ts';
import { hasGeometryText, isName } from './data-cells.ts';
import { delimiterName, delimiterOption } from './delimiter.ts';
import { commonTableFindings } from './findings.ts';
import type { GeometryPlace } from './geometry-place.ts';
import { isKnownName } from './geometry-sample.ts';
import {
  beginning,
  firstLine,
  type HeadSettings,
  headerReadings,
  lineStart,
  linesFrom,
  newlineOf,
} from './header.ts';
import { noteDecimalCommas, statedPlace } from './locate.ts';
import {
  attempt,
  byConsistency,
  type Find,
  type Found,
  locate,
  locateLikeliest,
  placeIn,
  SPECIFIED_COLUMN,
} from './locate-line.ts';
import type { HeaderReading, LineStart, LocatedGeometry, RowCheck } from './located.ts';
import type { TableMessages } from './messages.ts';
import { geometryColumns } from './row-geometry.ts';
import { isTable } from './skipped-table.ts';
import { type ExpectedType, expectedTypes } from './type-misfits.ts';

/** Share of the rows that have as many cells as a header that is not in the first line. */
const LEAST_SHARE = 0.9;

export interface Header {
  readonly delimiter: number;
  /** The byte used to count lines: LF, or CR if the file has no LF. */
  readonly newline: number;
  readonly hasHeader: boolean;
  readonly names: readonly string[];
  /** Columns with an empty header; if they have no values they only come from trailing delimiters. */
  readonly unnamed: readonly boolean[];
  readonly geometry: GeometryPlace;
  readonly checks: readonly RowCheck[];
  /** Where the first row begins. */
  readonly dataStart: LineStart;
  /** Columns with nearly one type. */
  readonly expected: readonly ExpectedType[];
}

export interface FoundHeader {
  readonly header: Header;
  readonly located: LocatedGeometry;
}

/** `newline`: the byte that lines are counted by. Throws CONFIG_INVALID, INPUT_WRONG_FORMAT, TEXT_ENCODING_INVALID and the errors of `messages`. */
export function findHeader(
  file: InputFile,
  layerName: string,
  source: ByteSource,
  context: OpenContext,
  messages: TableMessages,
  newline = newlineOf(source),
): FoundHeader {
  const { options, findings } = context;
  const { settings, start } = headSettings(file, layerName, source, context, messages, newline);
  const found = findFrom(settings, start, wantedColumns(options, messages));
  const { reading, located, hasHeader = settings.hasHeader } = found;
  const { delimiter, names, dataStart } = reading;
  if (reading.hasTrailing)
    findings.note(commonTableFindings.TRAILING_DELIMITERS, { delimiter: delimiterName(delimiter) });
  const geometry = located.place;
  if (options.decimal_comma !== true) noteDecimalCommas(reading, geometry, findings);
  const unnamed = names.map((name) => name === '');
  const trailing: RowCheck[] = reading.hasTrailing ? [{ kind: 'trailing', column: names.length - 1 }] : [];
  const checks = [...trailing, ...(located.checks ?? [])];
  const expected = expectedTypes(names, reading.sample(), options.decimal_comma === true, messages.hasTypes);
  const unique = uniqueNames(names, geometryColumns(geometry), findings);
  return {
    header: { delimiter, newline, hasHeader, names: unique, unnamed, geometry, checks, dataStart, expected },
    located,
  };
}

function headSettings(
  file: InputFile,
  layerName: string,
  source: ByteSource,
  context: OpenContext,
  messages: TableMessages,
  newline: number,
): { readonly settings: HeadSettings; readonly start: LineStart } {
  const { options } = context;
  const { start, delimiter } = beginning(source, messages);
  const settings: HeadSettings = {
    file,
    layerName,
    source,
    context,
    messages,
    newline,
    delimiter: delimiterOption(options.delimiter) ?? delimiter,
    hasHeader: options.has_header !== false,
  };
  return { settings, start };
}

/**
 * The header as a conversion reads it, with the place of the geometry. If the file cannot be read, the header that fits most rows, to
 * show what is wrong. Throws SYNTAX and BLANK.
 */
export function likelyHeader(
  file: InputFile,
  source: ByteSource,
  context: OpenContext,
  messages: TableMessages,
): { readonly reading: HeaderReading; readonly place: GeometryPlace | null; readonly hasHeader: boolean } {
  const quiet = { ...context, findings: new Findings() };
  const { settings, start } = headSettings(file, file.name, source, quiet, messages, newlineOf(source));
  const { hasHeader: isExpected } = settings;
  try {
    const found = findFrom(settings, start, wantedColumns(context.options, messages));
    const { reading, located, hasHeader = isExpected } = found;
    return { reading, place: located.place, hasHeader };
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    const line = context.options.header_line as number | undefined;
    const stated = line === undefined || !isExpected ? null : lineStart(settings, line);
    const readings = [...headerReadings(settings, stated ?? firstLine(settings, start))];
    return { reading: byConsistency(readings)[0], place: null, hasHeader: isExpected };
  }
}

/** The header in the line that an option states, in the first line, or in a later line if the first is not a header. */
function findFrom(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found {
  const { context, hasHeader, source, messages } = settings;
  const { findings, options } = context;
  const line = options.header_line as number | undefined;
  if (line !== undefined) {
    if (!hasHeader)
      throw failure(generalErrors.CONFIG_INVALID, {
        detail: phrase`'${messages.headerOption}' and '${messages.option('has_header')}' false exclude each other`,
      });
    const stated = lineStart(settings, line);
    if (stated === null)
      throw failure(generalErrors.CONFIG_INVALID, {
        detail: phrase`'${messages.headerOption}' is ${line}, but ${messages.words.holder} has fewer ${messages.words.line}s`,
      });
    return inLine(settings, stated, wanted, () => null);
  }
  if (start.lines > 0) messages.note(findings, 'LINES_SKIPPED', linesText(source, start, settings.newline));
  const first = firstLine(settings, start);
  return inLine(settings, first, wanted, () => (hasHeader ? findLater(settings, first, wanted) : null));
}

/** The header in this line; if it is not a header, in the line that `findOther` returns, and else the likeliest reading of this line or a table without positions. */
function inLine(
  settings: HeadSettings,
  start: LineStart,
  wanted: WantedColumns,
  findOther: () => Found | null,
): Found {
  try {
    return locate(settings, start, wanted);
  } catch (error) {
    const { messages } = settings;
    // These errors can come from a line that is no header.
    const canBeLater = messages.is(error, 'COLUMN_MISSING', 'COLUMN_UNKNOWN', 'SYNTAX');
    const other = canBeLater ? findOther() : null;
    const isMissing = messages.is(error, 'COLUMN_MISSING');
    const found =
      other ??
      (isMissing
        ? (locateLikeliest(settings, start, wanted) ??
          (settings.context.hasPositions === true ? null : attributesIn(settings, start, wanted)))
        : null);
    if (found === null) throw error;
    return found;
  }
}

/**
 * The first of the next lines that names columns with a position and is followed by rows that fit it. There is none after a line
 * with a geometry: that is a record, whose header comes before it.
 */
function findLater(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found | null {
  const { messages, context } = settings;
  const before: HeaderReading[] = [];
  for (const line of linesFrom(settings, start)) {
    try {
      for (const reading of headerReadings(settings, line)) {
        if (line !== start && hasGeometryText(reading.names)) return null;
        const isHeader = line !== start && reading.names.length > 1 && isFollowed(reading);
        const found = isHeader ? attempt(settings, reading, wanted, findAfter(before)) : null;
        if (found !== null) {
          const isTable = hasTable(settings, start, line);
          const kind = isTable ? 'TABLE_SKIPPED' : 'LINES_SKIPPED';
          messages.note(context.findings, kind, linesText(settings.source, line, settings.newline));
          return found;
        }
        before.push(reading);
      }
    } catch (error) {
      // This line is no header either; the first one has the error that counts.
      if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    }
  }
  return null;
}

function isFollowed({ sample }: HeaderReading): boolean {
  const { rowCount, share } = sample();
  return rowCount > 0 && share >= LEAST_SHARE;
}

/** Finds columns in a line after `before`, but no column of geometries in a record of which one of these is the header. */
function findAfter(before: readonly HeaderReading[]): Find {
  return (reading, wanted, findings) => {
    if (namesColumn(wanted)) return statedPlace(reading, wanted, findings);
    const located = placeIn(reading, wanted, findings);
    return located !== null && isLikelyRecord(reading, located.place, before) ? null : located;
  };
}

/** "1, unknown" after "id, shape" is a record although all values below "unknown" are geometries. */
function isLikelyRecord(
  { names, delimiter }: HeaderReading,
  place: GeometryPlace,
  before: readonly HeaderReading[],
): boolean {
  if (place.kind !== 'column' || names[place.index] === SPECIFIED_COLUMN) return false;
  const isGeometryName = (name: string): boolean => name === SPECIFIED_COLUMN || isKnownName(name);
  const { index } = place;
  const canBeHeader = before.filter(
    (earlier) =>
      earlier.delimiter === delimiter &&
      earlier.names.length === names.length &&
      earlier.names.every((name) => name.trim() !== ''),
  );
  const isDoubtful = !isGeometryName(names[index]) || !names.every(isName);
  return canBeHeader.some((earlier) => isDoubtful || isGeometryName(earlier.names[index]));
}

/** Whether the lines from `start` to `end` are a table with any delimiter. */
function hasTable(settings: HeadSettings, start: LineStart, end: LineStart): boolean {
  try {
    return [...headerReadings(settings, start, 2)].some((reading) => isTable(reading, settings.source, end));
  } catch (error) {
    // The first line is no record.
    if (error instanceof GeomillError && error.fault === 'user') return false;
    throw error;
  }
}

/** Parameters of LINES_SKIPPED and TABLE_SKIPPED for the lines before `end`. */
function linesText(source: ByteSource, end: LineStart, newline: number): { lines: number; text: string } {
  const bytes = source.slice(0, Math.min(end.offset, 240));
  const cut = bytes.indexOf(newline);
  const text = new TextDecoder().decode(cut < 0 ? bytes : bytes.subarray(0, cut)).trim();
  return { lines: end.lines, text: text.length > 60 ? `${text.slice(0, 60)}...` : text };
}

/** Gives every column a unique name: unnamed ones become column_N, repeated ones name_2, name_3, ... */
function uniqueNames(
  names: readonly string[],
  geometryColumns: readonly number[],
  findings: Findings,
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
    if (to !== base) findings.note(generalFindings.NAME_DUPLICATE, { from: base, to });
    return to;
  });
}
