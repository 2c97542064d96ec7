/** Adds vertices along edges, so that straight edges of a projection stay straight when positions are transformed. */
import { GeometryBuilder, type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';

/** Maximum steps of an edge: an edge across a whole map needs no centimetres. */
const MAX_STEPS = 1000;

/**
 * A copy with vertices added where edges are longer than `stepLength`; all ordinates are interpolated. `refuse` must throw; it is
 * called for an edge that is longer than `maxLength`.
 */
export function withShortEdges(
  column: GeometryColumn,
  stepLength: number,
  maxLength: number,
  refuse: (row: number, length: number) => never,
): GeometryColumn {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const builder = new GeometryBuilder(dimensions, types.length, coordinates.length / stride);
  for (let row = 0; row < types.length; row++) {
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++) {
          const length = i === coordOffsets[ring] ? 0 : lengthTo(coordinates, i * stride, stride);
          if (length > maxLength) refuse(row, length);
          const steps = Math.min(MAX_STEPS, Math.ceil(length / stepLength)) || 1;
          for (let step = 1; step <= steps; step++)
            appendPosition(builder, coordinates, i * stride, stride, step / steps);
        }
        builder.endRing();
      }
      builder.endPart(partKinds[part]);
    }
    builder.endFeature(types[row]);
  }
  return builder.finish();
}

/** From the position before `at`. */
function lengthTo(coordinates: Float64Array, at: number, stride: number): number {
  const dx = coordinates[at] - coordinates[at - stride];
  const dy = coordinates[at + 1] - coordinates[at - stride + 1];
  return Math.sqrt(dx * dx + dy * dy);
}

function appendPosition(
  builder: GeometryBuilder,
  coordinates: Float64Array,
  at: number,
  stride: number,
  share: number,
): void {
  builder.reserve(stride);
  for (let i = at; i < at + stride; i++) {
    const own = coordinates[i];
    const before = share === 1 ? own : coordinates[i - stride];
    builder.coordinates[builder.coordinateLength++] = share === 1 ? own : before + (own - before) * share;
  }
}
