/** Finds the header of a CSV and the geometry in its columns. */
import { isUtf8 } from 'node:buffer';
import { UniqueNames } from '../batch/unique-names.ts';
import { COMMA } from '../bytes/ascii.ts';
import { invalidUtf8At, UTF8 } from '../bytes/utf8.ts';
import { failure, GeomillError } from '../errors.ts';
import { Findings } from '../findings.ts';
import type { InputFile, OpenContext } from '../formats/format.ts';
import { lookOf } from '../formats/recognise.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { field, phrase } from '../message.ts';
import { namesColumn, unknownColumn, type WantedColumns, wantedColumns } from './columns.ts';
import { delimiterName, delimiterOption } from './delimiter.ts';
import {
  beginning,
  firstLine,
  type HeadSettings,
  headerReadings,
  type LineStart,
  laterLines,
  lineStart,
  newlineOf,
  withoutFirstRow,
} from './header.ts';
import { detectedPlace, noteDecimalCommas, statedPlace } from './locate.ts';
import type { HeaderReading, LocatedGeometry } from './located.ts';
import { notFound } from './not-found.ts';
import type { RowCheck } from './row-checks.ts';
import { type GeometryPlace, geometryColumns } from './row-geometry.ts';
import { CellBytes, SAMPLE_BYTES, shownCell } from './sample.ts';
import { isTable } from './skipped-table.ts';
import { invalidText } from './transcode.ts';

/** Case-sensitive, as the specification says. */
const SPECIFIED_COLUMN = 'geom_wkt';
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
}

interface Found {
  readonly reading: HeaderReading;
  readonly located: LocatedGeometry;
}

export interface FoundHeader {
  readonly header: Header;
  readonly located: LocatedGeometry;
  /** The cells of the row of the header, before they are made unique. */
  readonly cells: readonly string[];
}

/** `newline`: the byte that lines are counted by. Throws CONFIG_INVALID, INPUT_WRONG_FORMAT, TEXT_ENCODING_INVALID and CSV_ codes. */
export function findHeader(
  file: InputFile,
  layerName: string,
  source: ByteSource,
  context: OpenContext,
  newline = newlineOf(source),
): FoundHeader {
  const { options, findings } = context;
  const given = delimiterOption(options.delimiter);
  const { settings, start } = headSettings(file, layerName, source, context, newline);
  const { hasHeader } = settings;
  const { reading, located } = findFrom(settings, start, wantedColumns(options));
  const { delimiter, names, dataStart } = reading;
  if (given === null && delimiter !== COMMA && names.length > 1)
    findings.note('DELIMITER_FOUND', { source: file.name, delimiter: delimiterName(delimiter) });
  if (reading.hasTrailing) findings.note('TRAILING_DELIMITERS', { delimiter: delimiterName(delimiter) });
  const geometry = located.place;
  if (hasHeader && geometry.kind === 'pair') refuseNumbersAsNames(names[geometry.x], names[geometry.y]);
  if (options.decimal_comma !== true) noteDecimalCommas(reading, geometry, findings);
  const unnamed = names.map((name) => name === '');
  const trailing: RowCheck[] = reading.hasTrailing ? [{ kind: 'trailing', column: names.length - 1 }] : [];
  const checks = [...trailing, ...(located.checks ?? [])];
  const unique = uniqueNames(names, geometryColumns(geometry), findings);
  return {
    header: { delimiter, newline, hasHeader, names: unique, unnamed, geometry, checks, dataStart },
    located,
    cells: names,
  };
}

function headSettings(
  file: InputFile,
  layerName: string,
  source: ByteSource,
  context: OpenContext,
  newline: number,
): { readonly settings: HeadSettings; readonly start: LineStart } {
  const { options } = context;
  const { start, delimiter } = beginning(source);
  const settings: HeadSettings = {
    file,
    layerName,
    source,
    context,
    newline,
    delimiter: delimiterOption(options.delimiter) ?? delimiter,
    hasHeader: options.has_header !== false,
  };
  return { settings, start };
}

/**
 * The header as a conversion reads it, with the place of the geometry. If the file cannot be read, the header that fits most rows, to
 * show what is wrong. Throws CSV_SYNTAX and CSV_BLANK.
 */
export function likelyHeader(
  file: InputFile,
  source: ByteSource,
  context: OpenContext,
): { readonly reading: HeaderReading; readonly place: GeometryPlace | null; readonly hasHeader: boolean } {
  const quiet = { ...context, findings: new Findings() };
  const { settings, start } = headSettings(file, file.name, source, quiet, newlineOf(source));
  const { hasHeader } = settings;
  try {
    const { reading, located } = findFrom(settings, start, wantedColumns(context.options));
    return { reading, place: located.place, hasHeader };
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    const line = context.options.header_line as number | undefined;
    const stated = line === undefined || !hasHeader ? null : lineStart(settings, line);
    const readings = [...headerReadings(settings, stated ?? firstLine(settings, start))];
    return { reading: byConsistency(readings)[0], place: null, hasHeader };
  }
}

/** Columns given by number: the first row would be taken for names, and lost. */
function refuseNumbersAsNames(x: string, y: string): void {
  const isNumber = (name: string): boolean =>
    name.trim() !== '' && Number.isFinite(Number(name.replace(',', '.')));
  if (isNumber(x) && isNumber(y)) throw failure('CSV_HEADER_MISSING', { name: x });
}

/** The header in the line that an option states, in the first line, or in a later one if the first is none. */
function findFrom(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found {
  const { context, hasHeader, source } = settings;
  const { findings, options } = context;
  const line = options.header_line as number | undefined;
  if (line !== undefined) {
    if (!hasHeader)
      throw failure('CONFIG_INVALID', {
        detail: phrase`'${field('csv_options.header_line')}' and '${field('csv_options.has_header')}' false exclude each other`,
      });
    const stated = lineStart(settings, line);
    if (stated === null)
      throw failure('CONFIG_INVALID', {
        detail: phrase`'${field('csv_options.header_line')}' is ${line}, but the file has fewer lines`,
      });
    return locate(settings, stated, wanted);
  }
  if (start.lines > 0) findings.note('LINES_SKIPPED', linesText(source, start, settings.newline));
  const first = firstLine(settings, start);
  try {
    return locate(settings, first, wanted);
  } catch (error) {
    const later = hasHeader && isHeaderFault(error) ? findLater(settings, first, wanted) : null;
    if (later === null) throw error;
    return later;
  }
}

/** Whether the error can come from a line that is no header. */
function isHeaderFault(error: unknown): boolean {
  return (
    error instanceof GeomillError &&
    (error.code === 'CSV_COLUMN_MISSING' ||
      error.code === 'CSV_COLUMN_UNKNOWN' ||
      error.code === 'CSV_SYNTAX')
  );
}

/** The first of the next lines that names columns with a position and is followed by rows that fit it. */
function findLater(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found | null {
  const { findings } = settings.context;
  for (const line of laterLines(settings, start)) {
    try {
      for (const reading of headerReadings(settings, line, 2)) {
        const sample = reading.sample();
        if (sample.rowCount === 0 || sample.share < LEAST_SHARE) continue;
        const find = namesColumn(wanted) ? statedPlace : placeIn;
        const found = attempt(settings, reading, wanted, find);
        if (found === null) continue;
        const code = hasTable(settings, start, line) ? 'TABLE_SKIPPED' : 'LINES_SKIPPED';
        findings.note(code, linesText(settings.source, line, settings.newline));
        return found;
      }
    } catch (error) {
      // This line is no header either; the first one has the error that counts.
      if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
    }
  }
  return null;
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

function locate(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found {
  const { file, source, delimiter } = settings;
  const isStated = namesColumn(wanted) && settings.context.attributesOnly !== true;
  // A column of heights belongs to columns of coordinates.
  const specified = isStated || wanted.z !== null ? wanted : { ...wanted, geometry: SPECIFIED_COLUMN };
  const readings: HeaderReading[] = [];
  for (const reading of headerReadings(settings, start)) {
    readings.push(reading);
    // A single name can have another delimiter after it, and commas in the rows can be those of WKT.
    if (delimiter === null && reading.names.length === 1) continue;
    const found =
      namesColumn(specified) && settings.context.attributesOnly !== true
        ? attempt(settings, reading, specified, statedPlace)
        : null;
    if (found !== null) return found;
  }
  const look = structuredLook(source);
  if (look !== null)
    throw failure('INPUT_WRONG_FORMAT', { source: file.name, expected: 'a CSV file', found: look });
  const [reading, ...others] = byConsistency(readings);
  if (settings.context.attributesOnly === true)
    return { reading, located: { place: { kind: 'none' }, assumedCrs: null } };
  for (const candidate of [reading, ...others]) {
    const found =
      (namesColumn(specified) ? attempt(settings, candidate, specified, statedPlace) : null) ??
      (isStated ? null : attempt(settings, candidate, wanted, placeIn));
    if (found !== null) return found;
  }
  checkEncoding(settings);
  throw isStated ? unknownColumn(wanted, reading.names, reading.delimiter) : notFound(reading);
}

/** Throws TEXT_ENCODING_INVALID: degree signs and accents in another encoding hide coordinates. */
function checkEncoding({ file, source }: HeadSettings): void {
  const bytes = source.slice(0, SAMPLE_BYTES);
  const invalid = isUtf8(bytes) ? -1 : invalidUtf8At(bytes, 0, bytes.length);
  const isCut = invalid >= bytes.length - 4 && bytes.length < source.byteLength;
  if (invalid >= 0 && !isCut) throw invalidText(file.name, invalid, UTF8);
}

type Find = (reading: HeaderReading, wanted: WantedColumns, findings: Findings) => LocatedGeometry | null;

/** As with the first line: the name of the specification counts first. */
const placeIn: Find = (reading, wanted, findings) =>
  (wanted.z === null ? statedPlace(reading, { ...wanted, geometry: SPECIFIED_COLUMN }, findings) : null) ??
  detectedPlace(reading, wanted, findings);

/** Keeps the findings only if the geometry is found. A row of units after the header is skipped. */
function attempt(
  settings: HeadSettings,
  reading: HeaderReading,
  wanted: WantedColumns,
  find: Find,
): Found | null {
  const { findings } = settings.context;
  const own = new Findings();
  const located = find(reading, wanted, own);
  if (located === null) return null;
  const units = settings.hasHeader ? unitsIn(reading, located.place) : null;
  if (units !== null) {
    const rest = withoutFirstRow(settings, reading);
    const again = new Findings();
    const found = find(rest, wanted, again);
    if (found !== null) {
      again.note('UNITS_SKIPPED', { units });
      findings.merge(again.list());
      return { reading: rest, located: found };
    }
  }
  findings.merge(own.list());
  return { reading, located };
}

const UNIT =
  /^[[(]?(?:°|º|deg|degs?|degrees?|decimal[ _]degrees?|dd|grad|degrees?_?(?:north|east|n|e)|m|meters?|metres?|km|ft|feet|wgs ?84)[\])]?$/i;

/** The first row if it has a unit in each column of coordinates: "deg, deg"; null: it has other values. */
function unitsIn(reading: HeaderReading, place: GeometryPlace): string | null {
  if (place.kind !== 'pair' && place.kind !== 'angles') return null;
  const sample = reading.sample();
  if (sample.rowCount === 0) return null;
  const cell = new CellBytes();
  const texts = geometryColumns(place).map((column) => (cell.open(sample, column) ? shownCell(cell) : ''));
  return texts.every((text) => UNIT.test(text)) ? texts.join(', ') : null;
}

/**
 * The readings of which the header has several cells and the rows as many as the header: the best first. Without
 * any, the reading with one cell that fits most rows.
 */
function byConsistency(readings: readonly HeaderReading[]): HeaderReading[] {
  const several = readings.filter(({ names }) => names.length > 1);
  const isOne = several.length === 0;
  return (isOne ? readings : several)
    .map((reading) => ({ reading, share: reading.sample().share }))
    .sort((a, b) => b.share - a.share || b.reading.names.length - a.reading.names.length)
    .filter(({ share }, i) => i === 0 || (share === 1 && !isOne))
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
    if (to !== base) findings.note('NAME_DUPLICATE', { from: base, to });
    return to;
  });
}
