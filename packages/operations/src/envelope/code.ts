/** Bounding boxes, computed without GEOS: four comparisons per position. */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { MAPPED, type Mapped, mapGeometries } from '../parts/map-geometries.ts';
import { emptyBounds, growByRow } from '../parts/row-bounds.ts';
import type { StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  prepare: async () => (batch, findings) => mapGeometries(batch, findings, 'envelope', 'XY', appendEnvelope),
};

function appendEnvelope(column: GeometryColumn, row: number, builder: GeometryBuilder): Mapped {
  const bounds = emptyBounds();
  growByRow(bounds, column, row);
  const [west, south, east, north] = bounds;
  // All positions of the row are NaN.
  if (!(west <= east && south <= north)) return MAPPED.dropped;
  builder.position(west, south);
  if (west === east && south === north) return end(builder, PART_KIND.point, GEOMETRY_TYPE.point);
  if (west === east || south === north) {
    builder.position(east, north);
    return end(builder, PART_KIND.line, GEOMETRY_TYPE.lineString);
  }
  builder.position(east, south);
  builder.position(east, north);
  builder.position(west, north);
  builder.position(west, south);
  return end(builder, PART_KIND.polygon, GEOMETRY_TYPE.polygon);
}

function end(builder: GeometryBuilder, kind: number, type: number): Mapped {
  builder.endRing();
  builder.endPart(kind);
  builder.endFeature(type);
  return MAPPED.copied;
}
