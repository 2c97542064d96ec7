/** Adds vertices along edges, so that straight edges of a projection stay straight when positions are transformed. */
import { GeometryBuilder, type GeometryColumn, strideOf } from '../../batch/geometry-column.ts';

/** Maximum steps of an edge: an edge across a whole map needs no centimetres. */
const MAX_STEPS = 1000;

/** A copy with vertices added where edges are longer than `stepLength`; all ordinates are interpolated. */
export function withShortEdges(column: GeometryColumn, stepLength: number): GeometryColumn {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const builder = new GeometryBuilder(dimensions, types.length, coordinates.length / stride);
  for (let row = 0; row < types.length; row++) {
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++) {
          const steps = i === coordOffsets[ring] ? 1 : stepsTo(coordinates, i * stride, stride, stepLength);
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
function stepsTo(coordinates: Float64Array, at: number, stride: number, stepLength: number): number {
  const dx = coordinates[at] - coordinates[at - stride];
  const dy = coordinates[at + 1] - coordinates[at - stride + 1];
  const steps = Math.ceil(Math.sqrt(dx * dx + dy * dy) / stepLength);
  return steps > 1 ? Math.min(MAX_STEPS, steps) : 1;
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
