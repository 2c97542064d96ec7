/** Steps that move positions in the plane and change nothing else. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { StreamingTransformation } from '../transformation.ts';

/** Moves x and y of a position at `coordinates[at]`. */
export type MovePosition = (coordinates: Float64Array, at: number) => void;

export function movingStep(
  corrects: 'order' | 'positions',
  moveOf: (parameters: Readonly<Record<string, unknown>>) => MovePosition,
): StreamingTransformation {
  return {
    kind: 'streaming',
    corrects,
    prepare: async (parameters) => {
      const move = moveOf(parameters);
      return (batch) => moved(batch, move);
    },
  };
}

function moved(batch: FeatureBatch, move: MovePosition): FeatureBatch {
  const { geometry } = batch;
  const stride = strideOf(geometry.dimensions);
  const coordinates = geometry.coordinates.slice();
  for (let at = 0; at < coordinates.length; at += stride) move(coordinates, at);
  return { ...batch, geometry: { ...geometry, coordinates } };
}
