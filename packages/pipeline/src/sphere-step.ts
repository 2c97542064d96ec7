/** The half of a reprojection that keeps shapes across the antimeridian and around poles; see packages/core/src/sphere/reprojection.ts. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { SphereReprojection } from '@geomill/core/sphere/reprojection.ts';
import type { MovePositions } from '@geomill/core/sphere/subdivide-edges.ts';
import { LONG_DEGREES } from '@geomill/core/sphere/to-longitudes.ts';
import type { Transformer } from '@geomill/proj/proj.ts';
import { pipelineFindings } from './findings.ts';
import type { SphereRoute } from './task.ts';
import type { Transformers } from './transformers.ts';

export class SphereStep {
  readonly #route: SphereRoute;
  readonly #reprojection: SphereReprojection;

  constructor(route: SphereRoute, transformer: Transformer, transformers: Transformers) {
    const { from, to, metersFrom, metersTo, byDegrees } = route;
    this.#route = route;
    this.#reprojection = new SphereReprojection({
      from,
      to,
      metersFrom,
      metersTo,
      move: moveWith(() => transformer),
      byDegrees:
        byDegrees === null
          ? null
          : {
              toDegrees: moveWith(() => transformers.of(byDegrees.toDegrees)),
              fromDegrees: moveWith(() => transformers.of(byDegrees.fromDegrees)),
            },
    });
  }

  /** Before the positions are transformed in place. The result completes the batch, and reports what was done. Null: nothing is to be done. */
  begin(
    geometry: GeometryColumn,
    bounds: Bounds,
  ): ((transformed: GeometryColumn, findings: Findings) => GeometryColumn) | null {
    const completion = this.#reprojection.begin(geometry, bounds);
    if (completion === null) return null;
    return (transformed, findings) => {
      const { geometry: completed, rows } = completion(transformed);
      const { to, targetName: crs } = this.#route;
      for (const { row, isCut, isClosed, isUncut, isFollowed, isCutOff, isTorn } of rows) {
        const at = { record: row + 1 };
        const meridian = this.#reprojection.edgeMeridian;
        if (isCut && to.turn === null && meridian !== null && Math.abs(meridian) !== 180)
          findings.note(pipelineFindings.MAP_EDGE_CUT, { meridian, crs }, at);
        else if (isCut) findings.note(generalFindings.ANTIMERIDIAN_CUT, {}, at);
        if (isClosed && !isUncut) findings.note(generalFindings.POLE_CLOSED, {}, at);
        if (isCutOff) findings.note(pipelineFindings.POLE_CUT_OFF, { crs }, at);
        if (isUncut) findings.note(generalFindings.ANTIMERIDIAN_UNCUT, {}, at);
        if (isTorn) findings.note(pipelineFindings.EDGES_TORN, { degrees: LONG_DEGREES, crs }, at);
        if (isFollowed) findings.note(pipelineFindings.EDGES_FOLLOWED, { degrees: LONG_DEGREES, crs }, at);
      }
      return completed;
    };
  }
}

/** Positions that cannot be transformed become NaN; the transformer leaves them as they are. */
function moveWith(transformer: () => Transformer): MovePositions {
  return (coordinates, dimensions) => {
    const before = coordinates.slice();
    if (transformer().transform(coordinates, dimensions).failedCount === 0) return;
    const stride = strideOf(dimensions);
    for (let at = 0; at < coordinates.length; at += stride)
      if (coordinates[at] === before[at] && coordinates[at + 1] === before[at + 1])
        coordinates.fill(Number.NaN, at, at + 2);
  };
}
