/** What reads the geometry of a row, whatever columns it is in. */
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { GeometryProbe, RecordScanner } from './records.ts';

/** Appends the geometry of the scanner's current record to the builder, as one feature. */
export interface RowGeometry {
  /** Of the last geometry: SRID (0: none) and bits of GEOMETRY_NOTE. */
  readonly srid: number;
  readonly notes: number;
  /** Rows without coordinates. */
  readonly emptyCount: number;
  /** Points at 0, 0. */
  readonly zeroCount: number;
  /** The last position is read, but does not state its order. */
  readonly lacksOrder: boolean;
  /** Why the last geometry is invalid, and its column. */
  readonly reason: string;
  readonly column: number;
  /** Reads geometries during the scan; null: not possible. */
  readonly scanProbe: GeometryProbe | null;
  /** Returns false if the geometry is invalid; then nothing is appended. */
  read(scanner: RecordScanner): boolean;
}

/** Rows of a table whose geometries are not used. */
export class NoGeometry implements RowGeometry {
  readonly srid = 0;
  readonly notes = 0;
  readonly emptyCount = 0;
  readonly zeroCount = 0;
  readonly lacksOrder = false;
  readonly reason = '';
  readonly column = -1;
  readonly scanProbe = null;
  readonly #builder: GeometryBuilder;

  constructor(builder: GeometryBuilder) {
    this.#builder = builder;
  }

  read(): boolean {
    this.#builder.endFeature(GEOMETRY_TYPE.none);
    return true;
  }
}

/** Makes the position that was appended last a point. */
export function endPoint(builder: GeometryBuilder): void {
  builder.endRing();
  builder.endPart(PART_KIND.point);
  builder.endFeature(GEOMETRY_TYPE.point);
}
