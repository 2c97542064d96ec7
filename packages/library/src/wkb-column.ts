/** Geometries of a batch as a column of WKB. */
import { GEOMETRY_TYPE, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { mostWkbBytes, WkbWriter } from '@geomill/core/geometry/wkb-write.ts';
import type { Column } from './types.ts';

export function wkbColumn(geometry: GeometryColumn, rowCount: number): Column {
  const bytes = new Uint8Array(mostWkbBytes(geometry, rowCount));
  const writer = new WkbWriter(geometry, bytes);
  const offsets = new Uint32Array(rowCount + 1);
  const validity = new Uint8Array((rowCount + 7) >> 3);
  for (let row = 0; row < rowCount; row++) {
    if (geometry.types[row] !== GEOMETRY_TYPE.none) {
      writer.measureRow(row);
      writer.writeGeometry(row);
      validity[row >> 3] |= 1 << (row & 7);
    }
    offsets[row + 1] = writer.length;
  }
  return { type: 'binary', bytes: bytes.slice(0, writer.length), offsets, validity };
}
