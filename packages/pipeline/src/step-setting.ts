/** The setting of a step: what its code gets besides its parameters, in the main thread and in workers. */

import { shortDefinition } from '@geomill/core/crs/crs.ts';
import { type Dimensions, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure, reviveError } from '@geomill/core/messages/errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { stepErrors } from '@geomill/operations/errors.ts';
import type { StepSetting, TransformPositions } from '@geomill/operations/transformation.ts';
import type { Transformer } from '@geomill/proj/proj.ts';
import { pipelineCatalogue } from './catalogue.ts';
import { checkGrowth } from './growth.ts';
import type { Route, SessionStep } from './task.ts';
import type { Transformers } from './transformers.ts';

/** Counts of the current batch at the begin of the stage. */
export interface Growth {
  positionsIn: number;
  readonly factor: number;
}

/** No limit: for calls of a step, whose whole result is checked, and for steps that make no positions. */
export const UNBOUNDED: Growth = { positionsIn: 0, factor: Number.POSITIVE_INFINITY };

/** The setting of a step, the same in the main thread and in workers. */
export function stepSetting(
  step: SessionStep,
  layerName: string,
  transformers: Transformers,
  growth: Growth,
): StepSetting {
  const { crs, path, file } = step;
  return {
    crs,
    layerName,
    path,
    fromWgs84: positionsAlong(step.fromWgs84, transformers, path),
    toWgs84: positionsAlong(step.toWgs84, transformers, path),
    ...(file === null
      ? {}
      : {
          file: {
            crs: file.crs,
            toData: file.toData === null ? null : positionsAlong(file.toData, transformers, path),
            toWgs84: positionsAlong(file.toWgs84, transformers, path),
          },
        }),
    checkPositions: (count) => checkGrowth(step, growth.positionsIn, count, growth.factor),
  };
}

/** Few steps need positions in EPSG:4326, so the transformer is created at the first call. */
function positionsAlong(route: Route, transformers: Transformers, path: string): TransformPositions {
  if (route === null) return () => {};
  if ('error' in route) {
    return () => {
      throw reviveError(route.error, pipelineCatalogue);
    };
  }
  let transformer: Transformer | null = null;
  return (coordinates: Float64Array, dimensions: Dimensions) => {
    transformer ??= transformers.of(route.recipe);
    const outcome = transformer.transform(coordinates, dimensions);
    if (outcome.failedPosition < 0) return;
    const at = outcome.failedPosition * strideOf(dimensions);
    throw failure(stepErrors.COORDINATE_OUTSIDE_DOMAIN, {
      place: phrase`'${field(path)}'`,
      x: outcome.failedX ?? coordinates[at],
      y: outcome.failedY ?? coordinates[at + 1],
      from: shortDefinition(transformer.from),
      to: shortDefinition(transformer.to),
      reason: outcome.reason,
    });
  };
}
