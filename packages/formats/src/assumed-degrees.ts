/** The CRS to assume for layers that state none: longitudes and latitudes, if the first features have such. */
import { WGS84 } from '@geomill/core/crs/crs.ts';
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { AssumedCrs, FormatReader, SourceLayer } from './reader.ts';

/** `reason`: why degrees are likely. `isTable`: the layer can be one without geometries. */
export function assumedDegrees(
  layer: SourceLayer,
  reader: Pick<FormatReader, 'readPartition'>,
  limits: InputLimits,
  { reason, isTable = false }: { readonly reason: string; readonly isTable?: boolean },
): AssumedCrs | null {
  const { partitions, statedExtent } = layer;
  const extent = statedExtent ?? extentOf(layer, reader, limits);
  if (extent === null) return null;
  const [minX, minY, maxX, maxY] = extent;
  if (minX > maxX)
    return partitions.length > 1 && !isTable
      ? null
      : { crs: WGS84, reason: 'none of its features has a position' };
  return minX >= -180 && maxX <= 180 && minY >= -90 && maxY <= 90 ? { crs: WGS84, reason } : null;
}

/** Of the first partition; null if it cannot be read. */
function extentOf(
  layer: SourceLayer,
  reader: Pick<FormatReader, 'readPartition'>,
  limits: InputLimits,
): Bounds | null {
  try {
    return positionBounds(
      reader.readPartition(layer, layer.partitions[0], { fields: [], limits }).batch.geometry,
    );
  } catch (error) {
    // The conversion reads it again, and fails with the place.
    if (error instanceof GeomillError && error.fault === 'user') return null;
    throw error;
  }
}
