/** Finds the geometry in the columns that one line names. */

import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { areUtf8, latin1Text } from '@geomill/platform/bytes.ts';
import { lookOf } from '../recognise.ts';
import { namesColumn, unknownColumn, type WantedColumns } from './columns.ts';
import { recordCell } from './data-cells.ts';
import { commonTableFindings } from './findings.ts';
import type { GeometryPlace } from './geometry-place.ts';
import { type HeadSettings, headerReadings, withoutFirstRow } from './header.ts';
import { detectedPlace, likeliestPlace, statedPlace } from './locate.ts';
import type { LineStart } from './located.ts';
import { type HeaderReading, type LocatedGeometry, NO_POSITIONS, shown } from './located.ts';
import { notFound } from './not-found.ts';
import { geometryColumns } from './row-geometry.ts';
import { CellBytes, SAMPLE_BYTES, shownCell } from './sample.ts';
import { invalidText } from './transcode.ts';

/** Case-sensitive, as the specification says. */
export const SPECIFIED_COLUMN = 'geom_wkt';

export interface Found {
  readonly reading: HeaderReading;
  readonly located: LocatedGeometry;
  /** False: the first line has values although no option says so, and is the first row. Default: as the settings say. */
  readonly hasHeader?: false;
}

/** The header in this line. Throws COLUMN_MISSING, COLUMN_UNKNOWN, HEADER_MISSING, GEOMETRY_AMBIGUOUS and INPUT_WRONG_FORMAT. */
export function locate(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found {
  const { file, source, delimiter, messages } = settings;
  const needsNone = settings.context.attributesOnly === true || settings.context.geometriesUnused === true;
  const isStated = namesColumn(wanted) && !needsNone;
  // A column of heights belongs to columns of coordinates.
  const specified = isStated || wanted.z !== null ? wanted : { ...wanted, geometry: SPECIFIED_COLUMN };
  const readings: HeaderReading[] = [];
  for (const reading of headerReadings(settings, start)) {
    readings.push(reading);
    // A single name can have another delimiter after it, and commas in the rows can be those of WKT.
    if (delimiter === null && reading.names.length === 1) continue;
    const found =
      namesColumn(specified) && !needsNone ? attempt(settings, reading, specified, statedPlace) : null;
    if (found !== null) return found;
  }
  const { expected } = messages.words;
  const look = expected === null ? null : structuredLook(source);
  if (expected !== null && look !== null)
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: file.name,
      expected,
      found: look,
    });
  const [reading, ...others] = byConsistency(readings);
  if (needsNone) {
    refuseRecord(settings, reading.names, { kind: 'none' });
    const column = settings.context.attributesOnly === true ? null : geometryColumnIn(reading, wanted);
    return { reading, located: column ?? NO_POSITIONS };
  }
  for (const candidate of [reading, ...others]) {
    const found =
      (namesColumn(specified) ? attempt(settings, candidate, specified, statedPlace) : null) ??
      (isStated ? null : attempt(settings, candidate, wanted, placeIn));
    if (found !== null) return found;
  }
  checkEncoding(settings);
  refuseRecord(settings, reading.names, { kind: 'none' });
  throw isStated ? unknownColumn(wanted, reading) : notFound(reading);
}

/** Where geometries are not used, a column of them is no field, but columns of coordinates are; null: there is none. */
function geometryColumnIn(reading: HeaderReading, wanted: WantedColumns): LocatedGeometry | null {
  try {
    const found = (namesColumn(wanted) ? statedPlace : placeIn)(reading, wanted, new Findings());
    return found?.place.kind === 'column' ? found : null;
  } catch (error) {
    // Several columns may be the one: all are fields.
    if (error instanceof GeomillError && error.fault === 'user') return null;
    throw error;
  }
}

/** The header in this line with the only column in which most of the first values have the form of geometries; null: there is none. */
export function locateLikeliest(
  settings: HeadSettings,
  start: LineStart,
  wanted: WantedColumns,
): Found | null {
  if (wanted.z !== null) return null;
  for (const reading of byConsistency([...headerReadings(settings, start)])) {
    const found = attempt(settings, reading, wanted, (of, _, findings) => likeliestPlace(of, findings));
    if (found !== null) return found;
  }
  return null;
}

/** Throws TEXT_ENCODING_INVALID: degree signs and accents in another encoding hide coordinates. */
function checkEncoding({ file, source }: HeadSettings): void {
  const bytes = source.slice(0, SAMPLE_BYTES);
  const invalid = areUtf8(bytes) ? -1 : invalidUtf8At(bytes, 0, bytes.length);
  const isCut = invalid >= bytes.length - 4 && bytes.length < source.byteLength;
  if (invalid >= 0 && !isCut) throw invalidText(file.name, invalid, UTF8);
}

export type Find = (
  reading: HeaderReading,
  wanted: WantedColumns,
  findings: Findings,
) => LocatedGeometry | null;

/** As with the first line: the name of the specification counts first. */
export const placeIn: Find = (reading, wanted, findings) =>
  (wanted.z === null ? statedPlace(reading, { ...wanted, geometry: SPECIFIED_COLUMN }, findings) : null) ??
  detectedPlace(reading, wanted, findings);

/** Keeps the findings only if the geometry is found. A row of units after the header is skipped. */
export function attempt(
  settings: HeadSettings,
  reading: HeaderReading,
  wanted: WantedColumns,
  find: Find,
): Found | null {
  const { findings } = settings.context;
  const own = new Findings();
  const located = find(reading, wanted, own);
  if (located === null) return null;
  refuseRecord(settings, reading.names, located.place);
  const units = settings.hasHeader ? unitsIn(reading, located.place) : null;
  if (units !== null) {
    const rest = withoutFirstRow(settings, reading);
    const again = new Findings();
    const found = find(rest, wanted, again);
    if (found !== null) {
      again.note(commonTableFindings.UNITS_SKIPPED, { units });
      findings.merge(again.noted());
      return { reading: rest, located: found };
    }
  }
  findings.merge(own.noted());
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
export function byConsistency(readings: readonly HeaderReading[]): HeaderReading[] {
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
  return /^(?:\xef\xbb\xbf)?\s*(?:[[{]|<[?!a-z])/i.test(latin1Text(head)) ? lookOf(head) : null;
}

/** Throws HEADER_MISSING: a record that is taken for the header is lost. */
function refuseRecord(
  { hasHeader, messages }: HeadSettings,
  names: readonly string[],
  place: GeometryPlace,
): void {
  const cell = hasHeader ? recordCell(names, place) : null;
  if (cell !== null) throw messages.failure('HEADER_MISSING', { name: shown(cell) });
}
