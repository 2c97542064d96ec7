/**
 * Reads geometry blobs (12-128r19, 2.1.3): a header, then ISO WKB.
 *
 *     0  'GP'
 *     2  u8   version, 0
 *     3  u8   bit 0: header is little-endian; bits 1-3: envelope; bit 4: empty; bit 5: extended type
 *     4  i32  srs_id
 *     8  f64  envelope, 0 to 8 numbers; ignored: the WKB has the same information and takes precedence
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS, type GeometryNoteFinding } from '@geomill/core/geometry/geometry-notes.ts';
import { WkbReader } from '@geomill/core/geometry/wkb.ts';
import { failure, GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { gpkgErrors, gpkgFindings } from './messages.ts';

const HEADER_BYTES = 8;
/** By the envelope code: none, XY, XYZ, XYM, XYZM; other codes are invalid. */
const ENVELOPE_BYTES = [0, 32, 48, 48, 64];
const LITTLE_ENDIAN = 1;
const EMPTY = 16;
const EXTENDED = 32;
const LOCATIONS_SHOWN = 5;

const TYPE_BY_NAME: Readonly<Record<string, number>> = {
  POINT: GEOMETRY_TYPE.point,
  LINESTRING: GEOMETRY_TYPE.lineString,
  POLYGON: GEOMETRY_TYPE.polygon,
  MULTIPOINT: GEOMETRY_TYPE.multiPoint,
  MULTILINESTRING: GEOMETRY_TYPE.multiLineString,
  MULTIPOLYGON: GEOMETRY_TYPE.multiPolygon,
};

export interface BlobContext {
  readonly table: string;
  readonly geometryType: string;
  readonly srsId: number;
  readonly coordinatesPerFeature: number;
  /** The name of a row in errors, by its number from 1 within the partition. */
  readonly rowName: (record: number) => string;
  readonly findings: Findings;
}

interface Tally {
  readonly rows: RowTally;
  readonly locations: Location[];
}

/** Appends one geometry per row to a geometry column. */
export class GeometryBlobReader {
  readonly #context: BlobContext;
  readonly #builder: GeometryBuilder;
  readonly #wkb = new WkbReader();
  readonly #notes = new Map<GeometryNoteFinding, Tally>();
  readonly #plainWkb: Tally = { rows: new RowTally(), locations: [] };
  readonly #otherSrids = new Map<number, Tally>();
  #positionsBefore = 0;

  constructor(context: BlobContext, expectedRows: number, expectedBytes: number) {
    this.#context = context;
    this.#builder = new GeometryBuilder('XY', expectedRows, Math.ceil(expectedBytes / 16));
  }

  none(): void {
    this.#builder.endFeature(GEOMETRY_TYPE.none);
  }

  /** Reads the blob `bytes[start, end)`. Throws GPKG_ROW, LIMIT_EXCEEDED. */
  read(bytes: Uint8Array, start: number, end: number): void {
    const builder = this.#builder;
    let at = start;
    let srid = this.#context.srsId;
    let isPlain = false;
    if (bytes[at] === 0x47 && bytes[at + 1] === 0x50 && end - at >= HEADER_BYTES) {
      const flags = bytes[at + 3];
      srid = (flags & LITTLE_ENDIAN) !== 0 ? int32(bytes, at + 4, 1) : int32(bytes, at + 7, -1);
      at += HEADER_BYTES + this.#envelopeBytes(bytes[at + 2], flags);
      if (at >= end) {
        if ((flags & EMPTY) === 0 || at > end) throw this.#fail('the geometry blob ends within its header');
        builder.endFeature(
          TYPE_BY_NAME[this.#context.geometryType.toUpperCase()] ?? GEOMETRY_TYPE.geometryCollection,
        );
        return;
      }
    } else {
      this.#refuseOthers(bytes, start, end);
      isPlain = true;
    }
    const wkb = this.#wkb;
    try {
      wkb.read(bytes, at, end, builder);
    } catch (error) {
      if (!(error instanceof GeomillError) || error.code !== 'WKB_SYNTAX') throw error;
      throw this.#fail(
        `${error.params.reason}, at byte ${Number(error.params.offset) + at - start} of its geometry`,
      );
    }
    if (isPlain) {
      this.#tally(this.#plainWkb);
      if (wkb.srid !== 0) srid = wkb.srid;
    }
    if (srid !== this.#context.srsId) this.#tallyBy(this.#otherSrids, srid);
    if (wkb.notes !== 0) this.#note(wkb.notes);
    const positionCount = builder.positionCount - this.#positionsBefore;
    this.#positionsBefore = builder.positionCount;
    const limit = this.#context.coordinatesPerFeature;
    if (positionCount > limit)
      throw failure(
        generalErrors.LIMIT_EXCEEDED,
        {
          what: 'the number of positions of one feature',
          actual: positionCount,
          limit,
          setting: 'MAX_FEATURE_COORDINATES',
        },
        this.#location(),
      );
  }

  /** Throws for a value that is not a blob: SQLite stores any value in any column. */
  notBytes(): never {
    throw this.#fail('its geometry is a number or text, not a blob');
  }

  finish(): GeometryColumn {
    const { findings, srsId } = this.#context;
    for (const [entry, tally] of this.#notes)
      noteTally(tally, (location, count, rows) => findings.note(entry, {}, location, count, rows));
    noteTally(this.#plainWkb, (location, count, rows) =>
      findings.note(gpkgFindings.PLAIN_WKB, {}, location, count, rows),
    );
    for (const [srid, tally] of this.#otherSrids)
      noteTally(tally, (location, count, rows) =>
        findings.note(gpkgFindings.SRID_DIFFERS, { srid, expected: srsId }, location, count, rows),
      );
    return this.#builder.take();
  }

  #envelopeBytes(version: number, flags: number): number {
    if (version !== 0) throw this.#fail(`its geometry blob has version ${version}; only version 0 is known`);
    if ((flags & EXTENDED) !== 0)
      throw this.#fail('its geometry is of an extended type, which belongs to a vendor and cannot be read');
    const bytes = ENVELOPE_BYTES[(flags >> 1) & 7];
    if (bytes === undefined)
      throw this.#fail(`its geometry blob has the invalid envelope code ${(flags >> 1) & 7}`);
    return bytes;
  }

  #refuseOthers(bytes: Uint8Array, start: number, end: number): void {
    if (end === start) throw this.#fail('its geometry blob is empty');
    if (end - start > 43 && bytes[start] === 0 && bytes[start + 38] === 0x7c && bytes[end - 1] === 0xfe)
      throw this.#fail('its geometry is a SpatiaLite blob, which no GeoPackage may hold');
    if (bytes[start] > 1) throw this.#fail('its geometry is neither a GeoPackage blob nor WKB');
  }

  #note(notes: number): void {
    for (const [bit, entry] of GEOMETRY_NOTE_FINDINGS)
      if ((notes & bit) !== 0) this.#tallyBy(this.#notes, entry);
  }

  #tallyBy<Key>(tallies: Map<Key, Tally>, key: Key): void {
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = { rows: new RowTally(), locations: [] };
      tallies.set(key, tally);
    }
    this.#tally(tally);
  }

  #tally(tally: Tally): void {
    tally.rows.add(this.#builder.featureCount - 1);
    if (tally.locations.length < LOCATIONS_SHOWN)
      tally.locations.push(this.#location(this.#builder.featureCount));
  }

  #location(record = this.#builder.featureCount + 1): Location {
    return { record, id: this.#context.rowName(record) };
  }

  #fail(reason: string): GeomillError {
    const location = this.#location();
    return failure(
      gpkgErrors.GPKG_ROW,
      { table: this.#context.table, row: location.id ?? '', reason },
      location,
    );
  }
}

function noteTally(
  { rows, locations }: Tally,
  note: (location: Location, count: number, rows: RowTally) => void,
): void {
  const further = rows.count - locations.length + 1;
  for (const [i, location] of locations.entries())
    note(location, i === 0 ? further : 1, i === 0 ? rows : new RowTally());
}

/** From the least significant byte on, in ascending or descending order. */
function int32(bytes: Uint8Array, lowest: number, step: 1 | -1): number {
  return (
    bytes[lowest] |
    (bytes[lowest + step] << 8) |
    (bytes[lowest + 2 * step] << 16) |
    (bytes[lowest + 3 * step] << 24)
  );
}
