/** Encodes geometries as objects of a .mif. Runs in the workers. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { LF, SPACE } from '@geomill/core/text/ascii.ts';
import { type CoordinateDigits, writeDigits } from '@geomill/core/text/number-text.ts';
import { formatFindings } from '../findings.ts';

const FORMAT = 'MIF';

/** What MIF does not keep of geometries. */
export function noteGeometryLosses({ geometry }: FeatureBatch, findings: Findings): void {
  const { types, dimensions, partOffsets, ringOffsets, coordOffsets } = geometry;
  const [withZ, withM, empty] = [new RowTally(), new RowTally(), new RowTally()];
  for (let row = 0; row < types.length; row++) {
    if (types[row] === GEOMETRY_TYPE.none) continue;
    if (dimensions !== 'XY') {
      const own = rowDimensions(geometry, row);
      if (hasZ(own)) withZ.add(row);
      if (hasM(own)) withM.add(row);
    }
    const first = coordOffsets[ringOffsets[partOffsets[row]]];
    if (coordOffsets[ringOffsets[partOffsets[row + 1]]] === first) empty.add(row);
  }
  findings.noteTally(generalFindings.Z_DROPPED, { format: FORMAT }, withZ);
  findings.noteTally(generalFindings.M_DROPPED, { format: FORMAT }, withM);
  findings.noteTally(formatFindings.EMPTY_TO_NULL, { format: FORMAT }, empty);
}

/** An object for each row. */
export function writeObjects(out: ByteWriter, geometry: GeometryColumn, digits: CoordinateDigits): void {
  const encoder = new ObjectEncoder(out, geometry, digits);
  for (let row = 0; row < geometry.types.length; row++) encoder.write(row);
}

class ObjectEncoder {
  readonly #out: ByteWriter;
  readonly #geometry: GeometryColumn;
  readonly #digits: CoordinateDigits;
  readonly #stride: number;

  constructor(out: ByteWriter, geometry: GeometryColumn, digits: CoordinateDigits) {
    this.#out = out;
    this.#geometry = geometry;
    this.#digits = digits;
    this.#stride = strideOf(geometry.dimensions);
  }

  write(row: number): void {
    const { types, partOffsets, partKinds, ringOffsets, coordOffsets } = this.#geometry;
    const [first, end] = [partOffsets[row], partOffsets[row + 1]];
    const parts: Record<number, number[]> = {
      [PART_KIND.point]: [],
      [PART_KIND.line]: [],
      [PART_KIND.polygon]: [],
    };
    for (let part = first; part < end; part++)
      if (coordOffsets[ringOffsets[part + 1]] > coordOffsets[ringOffsets[part]])
        parts[partKinds[part] & PART_KIND_MASK].push(part);
    const kinds = Object.values(parts).filter((own) => own.length > 0);
    if (kinds.length === 0) this.#out.ascii('None\n');
    else {
      if (kinds.length > 1) this.#out.ascii(`Collection ${kinds.length}\n`);
      // Only a single point is one: a MultiPoint of one point stays a MultiPoint.
      this.#region(parts[PART_KIND.polygon]);
      this.#lines(parts[PART_KIND.line], types[row] === GEOMETRY_TYPE.multiLineString);
      this.#points(parts[PART_KIND.point], types[row] !== GEOMETRY_TYPE.point);
    }
  }

  #region(parts: readonly number[]): void {
    if (parts.length === 0) return;
    const { ringOffsets, coordOffsets } = this.#geometry;
    const rings: number[] = [];
    for (const part of parts)
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
        if (coordOffsets[ring + 1] > coordOffsets[ring]) rings.push(ring);
    this.#out.ascii(`Region ${rings.length}\n`);
    for (const ring of rings) this.#positions(coordOffsets[ring], coordOffsets[ring + 1], true);
  }

  #lines(parts: readonly number[], isMulti: boolean): void {
    if (parts.length === 0) return;
    const { ringOffsets, coordOffsets } = this.#geometry;
    this.#out.ascii(parts.length > 1 || isMulti ? `Pline Multiple ${parts.length}\n` : 'Pline ');
    for (const part of parts)
      this.#positions(coordOffsets[ringOffsets[part]], coordOffsets[ringOffsets[part] + 1], true);
  }

  #points(parts: readonly number[], isMulti: boolean): void {
    if (parts.length === 0) return;
    const { ringOffsets, coordOffsets } = this.#geometry;
    this.#out.ascii(isMulti ? `Multipoint ${parts.length}\n` : 'Point ');
    for (const part of parts) {
      const at = coordOffsets[ringOffsets[part]];
      this.#positions(at, at + 1, false);
    }
  }

  #positions(start: number, end: number, hasCount: boolean): void {
    const { coordinates } = this.#geometry;
    if (hasCount) this.#out.ascii(`${end - start}\n`);
    for (let at = start * this.#stride; at < end * this.#stride; at += this.#stride) {
      writeDigits(this.#out, coordinates[at], this.#digits.xy);
      this.#out.uint8(SPACE);
      writeDigits(this.#out, coordinates[at + 1], this.#digits.xy);
      this.#out.uint8(LF);
    }
  }
}
