/** Simplifies features one by one. */
import { GEOMETRY_TYPE, type GeometryBuilder, type GeometryColumn } from '../../batch/geometry-column.ts';
import type { GeosGeometry } from '../../engines/geos/geometry.ts';
import { Geos } from '../../engines/geos/geos.ts';
import { copyRows } from '../parts/copy-rows.ts';
import { lengthInCrs, metersOf } from '../parts/lengths.ts';
import { levelDegrees, unlevel } from '../parts/level-degrees.ts';
import { MAPPED, type Mapped, mapGeometries } from '../parts/map-geometries.ts';
import { isFinitePlane } from '../parts/repaired.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = { kind: 'streaming', prepare };

interface Form {
  readonly geos: Geos;
  /** In the unit of the coordinates. */
  readonly tolerance: number;
  readonly keepsTopology: boolean;
}

async function prepare(parameters: StepParameters, { crs }: StepSetting): Promise<ApplyStep> {
  const form: Form = {
    geos: await Geos.load(),
    tolerance: lengthInCrs(metersOf(parameters.tolerance, parameters.units), crs),
    keepsTopology: parameters.preserve_topology !== false,
  };
  return (batch, findings) => {
    const { dimensions } = batch.geometry;
    if (crs.kind !== 'geographic') {
      return mapGeometries(batch, findings, 'simplify', dimensions, (column, row, builder) =>
        appendSimplified(form, column, column, row, builder),
      );
    }
    const { column: levelled, factors } = levelDegrees(batch.geometry, crs.unitFactor);
    return mapGeometries(batch, findings, 'simplify', dimensions, (column, row, builder) => {
      const start = builder.coordinateLength;
      const mapped = appendSimplified(form, column, levelled, row, builder);
      if (mapped !== MAPPED.copied) {
        unlevel(builder.coordinates, builder.stride, start, builder.coordinateLength, factors[row]);
      }
      return mapped;
    });
  };
}

/** `plane` is simplified; `column` is copied if no position can be left out. */
function appendSimplified(
  form: Form,
  column: GeometryColumn,
  plane: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
): Mapped {
  const type = column.types[row];
  if (type === GEOMETRY_TYPE.point || type === GEOMETRY_TYPE.multiPoint) return copied(column, row, builder);
  using geometry = form.geos.read(plane, row);
  if (isFinitePlane(column, row)) {
    using result = simplified(geometry, form);
    if (result.isValid) {
      if (result.positionCount === positionCount(column, row)) return copied(column, row, builder);
      return result.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.changed;
    }
  }
  using valid = geometry.makeValid();
  using result = simplified(valid, form);
  if (result.isValid) return appended(result, builder);
  using repaired = result.makeValid();
  return appended(repaired, builder);
}

function simplified(geometry: GeosGeometry, { tolerance, keepsTopology }: Form): GeosGeometry {
  return keepsTopology ? geometry.topologyPreserveSimplify(tolerance) : geometry.simplify(tolerance);
}

function appended(geometry: GeosGeometry, builder: GeometryBuilder): Mapped {
  return geometry.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.repaired;
}

function copied(column: GeometryColumn, row: number, builder: GeometryBuilder): Mapped {
  copyRows(builder, column, row, row + 1);
  return MAPPED.copied;
}

function positionCount({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
}
