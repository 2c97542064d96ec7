/** Adds Z or M, with NaN, to encoded features without them: GDAL reads a layer only if all features have the same ordinates. */
import { type Dimensions, GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { type EncodedFeatures, encodeFeatures } from './feature-encode.ts';
import { FlatTables } from './flat-tables.ts';
import { GeometryReader } from './geometry-read.ts';
import { FEATURE, PREFIX_BYTES } from './header.ts';

export function widenFeatures(features: EncodedFeatures, dimensions: Dimensions): EncodedFeatures {
  const { bytes, lengths } = features;
  const rowCount = lengths.length;
  const tables = new FlatTables();
  tables.load(bytes);
  const builder = new GeometryBuilder('XY', rowCount, bytes.length / 16);
  const geometries = new GeometryReader(tables, builder);
  const starts = new Uint32Array(rowCount);
  const ends = new Uint32Array(rowCount);
  for (let row = 0, at = 0; row < rowCount; at += lengths[row++]) {
    tables.open(at + PREFIX_BYTES, at + lengths[row]);
    const geometry = tables.slot(FEATURE.geometry, 4);
    const properties = tables.slot(FEATURE.properties, 4);
    if (properties !== 0) {
      starts[row] = tables.vectorAt(properties, 1);
      ends[row] = starts[row] + tables.count;
    }
    if (geometry === 0) builder.endFeature(GEOMETRY_TYPE.none);
    else geometries.read(tables.tableAt(geometry), 0);
  }
  const raw = { bytes, starts, ends };
  const widened = encodeFeatures(
    { rowCount, geometry: builder.finish(), columns: [] },
    dimensions,
    null,
    raw,
  );
  return { ...widened, boxes: features.boxes };
}
