/** A step that is one operation of GEOS on each feature. */
import { dimensionsOf, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import { Geos } from '@geomill/geos/geos.ts';
import type { StreamingTransformation } from '../transformation.ts';
import { mapGeometries } from './map-geometries.ts';
import { appendResult } from './repaired.ts';

/** `heights`: whether the positions of a result can have Z. `id` is that of the transformation, for findings. */
export function geosStep(
  id: string,
  heights: 'kept' | 'dropped',
  operation: (geometry: GeosGeometry) => GeosGeometry,
): StreamingTransformation {
  return {
    kind: 'streaming',
    async prepare() {
      const geos = await Geos.load();
      return (batch, findings) => {
        const dimensions = dimensionsOf(heights === 'kept' && hasZ(batch.geometry.dimensions), false);
        return mapGeometries(batch, findings, id, dimensions, (column, row, builder) =>
          appendResult(geos, column, row, builder, operation),
        );
      };
    },
  };
}
