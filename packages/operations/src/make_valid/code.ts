/** Repairs geometries that are invalid for GEOS. */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { Geos } from '@geomill/geos/geos.ts';
import type { MakeValidMethod } from '@geomill/geos/native.ts';
import { MAPPED, type Mapped, mapGeometries } from '../parts/map-geometries.ts';
import { withoutRepeatedEdges } from '../parts/repeated-edges.ts';
import type { StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  async prepare(parameters) {
    const geos = await Geos.load();
    const method = (parameters.method ?? 'structure') as MakeValidMethod;
    return (batch, findings) =>
      mapGeometries(batch, findings, 'make_valid', batch.geometry.dimensions, (column, row, builder) =>
        appendValid(geos, column, row, builder, method),
      );
  },
};

function appendValid(
  geos: Geos,
  column: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
  method: MakeValidMethod,
): Mapped {
  const shorter = withoutRepeatedEdges(column, row);
  using geometry = shorter === null ? geos.read(column, row) : geos.read(shorter, 0);
  // A polygon with a repeated edge is invalid.
  if (shorter === null && geometry.isValid) {
    copyRows(builder, column, row, row + 1);
    return MAPPED.copied;
  }
  using valid = geometry.makeValid(method);
  return valid.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.repaired;
}
