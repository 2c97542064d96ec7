/** Creates geometry columns and batches from WKT, for readable expectations; null is a null geometry. */
import { ColumnBuilder } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import {
  type Dimensions,
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '../../packages/core/src/geometry/geometry-column.ts';
import { WktReader } from '../../packages/core/src/geometry/wkt.ts';

const encoder = new TextEncoder();

export function columnOfWkt(
  texts: readonly (string | null)[],
  dimensions: Dimensions = 'XY',
): GeometryColumn {
  const builder = new GeometryBuilder(dimensions);
  const reader = new WktReader();
  for (const text of texts) {
    if (text === null) {
      builder.endFeature(GEOMETRY_TYPE.none);
      continue;
    }
    const bytes = encoder.encode(text);
    reader.read(bytes, 0, bytes.length, builder);
  }
  return builder.finish();
}

/** A batch with the field `n` and ids, both counting the rows from 1. */
export function batchOfWkt(texts: readonly (string | null)[], dimensions: Dimensions = 'XY'): FeatureBatch {
  const numbers = new ColumnBuilder('int32');
  const ids = new ColumnBuilder('int64');
  texts.forEach((_, i) => {
    numbers.appendNumber(i + 1);
    ids.appendBigInt(BigInt(i + 1));
  });
  return {
    rowCount: texts.length,
    geometry: columnOfWkt(texts, dimensions),
    fields: [{ name: 'n', type: 'int32' }],
    columns: [numbers.finish()],
    ids: ids.finish(),
  };
}
