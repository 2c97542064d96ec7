/** Reads waypoints, and the points of routes and tracks with the numbers of their line, segment and place in it. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { DocumentColumns } from '@geomill/core/columns/document-columns.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { TextColumn } from '@geomill/core/columns/text-columns.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { writeInteger } from '@geomill/core/text/number-text.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import { concatBytes } from '@geomill/platform/bytes.ts';
import { ElementReader } from './element-reader.ts';
import { gpxFindings } from './messages.ts';
import type { GpxName } from './names.ts';
import {
  addStandardColumns,
  hintOf,
  ROUTE_POINT_FIELDS,
  standardFields,
  TRACK_POINT_FIELDS,
} from './standard-fields.ts';
import { type LayerState, PIECE, PIECE_STRIDE, type PieceCounts } from './state.ts';

const COLON = 0x3a;
const encoder = new TextEncoder();

export class PointReader {
  readonly #scanner: XmlScanner;
  readonly #state: LayerState;
  readonly #findings: Findings;
  readonly #builder: GeometryBuilder;
  readonly #columns: DocumentColumns;
  readonly #element: ElementReader;
  readonly #digits = new ByteWriter(16);
  readonly #numberColumns: readonly TextColumn[];
  /** The element of a point, the one that has them all, and the level of the point in the document. */
  readonly #pointName: GpxName;
  readonly #lineName: GpxName | null;
  readonly #pointLevel: number;
  #line = 0;
  #segment = 0;
  #point = 0;

  /** `expected`: numbers of features and of points in the partition. */
  constructor(
    scanner: XmlScanner,
    state: LayerState,
    limits: InputLimits,
    findings: Findings,
    expected: PieceCounts,
  ) {
    const { kind, document } = state;
    const count = kind === 'waypoints' ? expected.features : expected.points;
    this.#builder = new GeometryBuilder('XY', count, count);
    this.#scanner = scanner;
    this.#state = state;
    this.#findings = findings;
    this.#columns = new DocumentColumns(hintOf, findings, (count) => checkFieldCount(kind, count, limits));
    const numbers =
      kind === 'track_points' ? TRACK_POINT_FIELDS : kind === 'route_points' ? ROUTE_POINT_FIELDS : [];
    this.#numberColumns = numbers.map((name) => this.#columns.column(name));
    addStandardColumns(this.#columns, kind, document.hasStandardFields);
    this.#element = new ElementReader(scanner, document.rootPrefix, this.#columns, findings);
    this.#pointName = kind === 'track_points' ? 'trkpt' : kind === 'route_points' ? 'rtept' : 'wpt';
    this.#lineName = kind === 'track_points' ? 'trk' : kind === 'route_points' ? 'rte' : null;
    this.#pointLevel = Math.max(1, numbers.length);
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  /** A piece begins that does not continue the one before. */
  begin(piece: number): void {
    const { pieces, document } = this.#state;
    const at = piece * PIECE_STRIDE;
    const level = pieces[at + PIECE.level];
    this.#line = pieces[at + PIECE.feature] - (level === 0 ? 1 : 0);
    this.#segment = pieces[at + PIECE.segment];
    this.#point = pieces[at + PIECE.point];
    this.#scanner.depth = 0;
    for (const name of [this.#lineName, 'trkseg'].slice(0, level))
      this.#scanner.enter(withPrefix(document.rootPrefix, String(name)));
  }

  /** Reads the window, whose end may be between two points. */
  read(): void {
    const scanner = this.#scanner;
    for (let at = scanner.find(0); at >= 0; at = scanner.find(at)) {
      at = scanner.tag(at);
      if (!scanner.isEnd) at = this.#start(at);
      else if (scanner.depth === 1) this.#endSegment();
    }
  }

  finish(fields: readonly Field[] | null): FeatureBatch {
    const { rowCount } = this;
    const { kind, document } = this.#state;
    const kept = new Set(document.hasStandardFields ? standardFields(kind) : []);
    for (const { name } of this.#numberColumns) kept.add(name);
    const columns = this.#columns.finish(rowCount, fields, (name) => kept.has(name));
    return { rowCount, geometry: this.#builder.finish(), ...columns, ids: null };
  }

  #start(at: number): number {
    const scanner = this.#scanner;
    const { isEmpty } = scanner;
    const level = isEmpty ? scanner.depth + 1 : scanner.depth;
    const name = this.#element.name();
    if (level === this.#pointLevel && name === this.#pointName) return this.#read(at);
    if (level === 1 && name === this.#lineName) {
      this.#line++;
      this.#segment = 0;
      this.#point = 0;
      return at;
    }
    if (level === 2 && this.#pointLevel === 3 && name === 'trkseg') {
      if (isEmpty) this.#endSegment();
      return at;
    }
    return scanner.skip(at);
  }

  #endSegment(): void {
    this.#segment++;
    this.#point = 0;
  }

  #read(at: number): number {
    const element = this.#element;
    const builder = this.#builder;
    const hasPosition = element.position();
    this.#columns.row = this.rowCount;
    if (this.#numberColumns.length > 0) this.#setNumbers();
    at = element.children(at);
    if (hasPosition) {
      if (builder.stride === 2 && !Number.isNaN(element.z)) builder.widen('XYZ');
      builder.position(element.x, element.y, element.z);
      builder.endRing();
      builder.endPart(PART_KIND.point);
    } else this.#findings.note(gpxFindings.GPX_POSITION_MISSING, {}, { record: this.rowCount + 1 });
    builder.endFeature(hasPosition ? GEOMETRY_TYPE.point : GEOMETRY_TYPE.none);
    return at;
  }

  #setNumbers(): void {
    const columns = this.#numberColumns;
    this.#setNumber(columns[0], this.#line);
    if (columns.length === 3) this.#setNumber(columns[1], this.#segment);
    this.#setNumber(columns[columns.length - 1], this.#point++);
  }

  #setNumber(column: TextColumn, value: number): void {
    this.#digits.reset();
    writeInteger(this.#digits, value);
    this.#columns.set(column, this.#digits.bytes, 0, this.#digits.length);
  }
}

function withPrefix(prefix: Uint8Array, name: string): Uint8Array {
  const local = encoder.encode(name);
  return prefix.length === 0 ? local : concatBytes([prefix, Uint8Array.of(COLON), local]);
}
