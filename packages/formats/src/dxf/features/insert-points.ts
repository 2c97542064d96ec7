/** Reads INSERTs as points (`input.blocks: "points"`): one per cell, with its ATTRIBs as fields. */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  hasZ,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { type Entity, EntityError } from '../contract.ts';
import { mappedX, mappedY, mappedZ } from '../shapes/affine-map.ts';
import { ownEnd, realOf } from '../shapes/tag-values.ts';
import type { DrawingColumns } from './drawing-columns.ts';
import { attribValues } from './insert.ts';
import { insertFrame, readArray } from './insert-placement.ts';
import type { EntityProperties } from './properties.ts';

/**
 * Appends the features of an INSERT whose `properties` were read. Throws any EntityError before it appends the first
 * one.
 */
export function appendInsertPoints(
  { tags, parts }: Entity,
  properties: EntityProperties,
  columns: DrawingColumns,
  builder: GeometryBuilder,
): void {
  const frame = insertFrame(tags);
  const array = readArray(tags);
  if (![...frame, array.columnSpacing, array.rowSpacing].every(Number.isFinite))
    throw new EntityError('a coordinate is not a finite number');
  const nameAt = tags.find(2);
  const name = nameAt < 0 ? null : tags.text(nameAt);
  const inherited = properties.handOn(tags, name, attribValues(parts), null);
  const rotation = realOf(tags, 50, 0, 0, ownEnd(tags));
  for (let row = 0; row < array.rows; row++)
    for (let column = 0; column < array.columns; column++) {
      const x = column * array.columnSpacing;
      const y = row * array.rowSpacing;
      const z = mappedZ(frame, x, y, 0);
      if (z !== 0 && !hasZ(builder.dimensions)) builder.widen('XYZ');
      builder.position(mappedX(frame, x, y, 0), mappedY(frame, x, y, 0), z === 0 ? Number.NaN : z);
      builder.endRing();
      builder.endPart(PART_KIND.point);
      const feature = builder.featureCount;
      columns.appendEntity(feature, tags, properties, inherited);
      if (Number.isFinite(rotation)) columns.appendNumber(feature, 'TextRotation', rotation);
      builder.endFeature(GEOMETRY_TYPE.point);
    }
}
