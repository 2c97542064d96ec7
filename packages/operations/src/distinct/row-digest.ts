/** Digests of the values and geometries of rows: equal rows have the same. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { type GeometryColumn, hasM, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { digestOf } from '@geomill/platform/digests.ts';

const VALUE = { null: 0, present: 1 } as const;

export class RowDigest {
  readonly #writer = new ByteWriter(1 << 12);

  /** The words of the digest. `geometry` null: it is not compared. */
  of(columns: readonly AttributeColumn[], geometry: GeometryColumn | null, row: number): Uint32Array {
    const writer = this.#writer;
    writer.reset();
    for (const column of columns) writeValue(writer, column, row);
    if (geometry !== null) writeGeometry(writer, geometry, row);
    const digest = digestOf('sha256', writer.written());
    return new Uint32Array(digest.buffer.slice(digest.byteOffset, digest.byteOffset + 16));
  }
}

function writeValue(writer: ByteWriter, column: AttributeColumn, row: number): void {
  if (!isValid(column.validity, row)) {
    writer.uint8(VALUE.null);
    return;
  }
  writer.uint8(VALUE.present);
  if ('offsets' in column) {
    const [start, end] = [column.offsets[row], column.offsets[row + 1]];
    writer.uint32(end - start, true);
    writer.copy(column.bytes, start, end);
  } else if (column.type === 'int64') {
    const value = column.values[row];
    writer.int32(Number(BigInt.asIntN(32, value)), true);
    writer.int32(Number(BigInt.asIntN(32, value >> 32n)), true);
  } else writeNumber(writer, column.values[row]);
}

/** -0 is 0, and all NaN are one. */
function writeNumber(writer: ByteWriter, value: number): void {
  writer.float64(Number.isNaN(value) ? Number.NaN : value + 0, true);
}

/** A Z or M of NaN is that of a position without one, as in a batch where other features have it. */
function writeGeometry(writer: ByteWriter, column: GeometryColumn, row: number): void {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const zAt = hasZ(dimensions) ? 2 : -1;
  const mAt = hasM(dimensions) ? stride - 1 : -1;
  writer.uint8(types[row]);
  writer.uint32(partOffsets[row + 1] - partOffsets[row], true);
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    writer.uint8(partKinds[part]);
    writer.uint32(ringOffsets[part + 1] - ringOffsets[part], true);
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      writer.uint32(coordOffsets[ring + 1] - coordOffsets[ring], true);
      for (let at = coordOffsets[ring] * stride; at < coordOffsets[ring + 1] * stride; at += stride) {
        writeNumber(writer, coordinates[at]);
        writeNumber(writer, coordinates[at + 1]);
        writeNumber(writer, zAt > 0 ? coordinates[at + zAt] : Number.NaN);
        writeNumber(writer, mAt > 0 ? coordinates[at + mAt] : Number.NaN);
      }
    }
  }
}
