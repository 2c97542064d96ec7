import type { GeometryBuilder } from './geometry-column.ts';

/** Repeats the position `firstPosition` when the last one differs from it in x or y; tells whether it did. */
export function closeRing(builder: GeometryBuilder, firstPosition: number): boolean {
  const { stride } = builder;
  const first = firstPosition * stride;
  const last = builder.coordinateLength - stride;
  const before = builder.coordinates;
  if (before[first] === before[last] && before[first + 1] === before[last + 1]) return false;
  builder.reserve(stride);
  const { coordinates } = builder;
  for (let i = 0; i < stride; i++) coordinates[builder.coordinateLength++] = coordinates[first + i];
  return true;
}
