/** Gathers the polygons of a file for a mask: one polygon per row, XY. */
import { copyPart } from '@geomill/core/columns/copy-rows.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted, field } from '@geomill/core/messages/message.ts';
import type { FeatureCollector } from '../../transformation.ts';
import { isFinitePlane } from '../repaired.ts';
import { ADVICE_FOR_TABLES } from '../source-file.ts';

/**
 * Maximum number of positions: each thread that cuts has the mask and an index of it in memory, and a union of this size
 * takes about 1 GB while it is made.
 */
export const MAX_MASK_POSITIONS = 2_000_000;

export class MaskCollector implements FeatureCollector {
  readonly takes = 'geometries';
  readonly #path: string;
  #builder = new GeometryBuilder('XY', 64, 1024);

  /** `path` of the file in the request, for messages. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Throws TRANSFORMATION_INVALID for points and lines, positions that are not finite, and too many positions. */
  add({ geometry, rowCount }: FeatureBatch): void {
    const { types, partOffsets, partKinds } = geometry;
    const builder = this.#builder;
    for (let row = 0; row < rowCount; row++) {
      if (!isFinitePlane(geometry, row)) throw this.#refuse('has a position that is not finite', row);
      for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
        if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon)
          throw this.#refuse(`has a ${GEOMETRY_TYPE_NAMES[types[row]]}; a mask has polygons alone`, row);
        copyPart(builder, geometry, part, PART_KIND.polygon);
        builder.endFeature(GEOMETRY_TYPE.polygon);
      }
      if (builder.positionCount > MAX_MASK_POSITIONS)
        throw this.#refuse(
          `has more than ${counted(MAX_MASK_POSITIONS, 'position')}; simplify it, or use fewer of its features`,
        );
    }
  }

  restart(): void {
    this.#builder = new GeometryBuilder('XY', 64, 1024);
  }

  /** Throws TRANSFORMATION_INVALID if there is no polygon. */
  finish(): GeometryColumn {
    if (this.#builder.featureCount === 0)
      throw this.#refuse(`has no polygon; use a file or layer with areas. ${ADVICE_FOR_TABLES}`);
    return this.#builder.finish();
  }

  /** `row` from 0. */
  #refuse(reason: string, row?: number): GeomillError {
    return failure(
      generalErrors.TRANSFORMATION_INVALID,
      { path: field(this.#path), reason },
      row === undefined ? undefined : { record: row + 1 },
    );
  }
}
