/**
 * The SQL functions that the triggers of a GeoPackage call (12-128r19, annex F.3): they keep the spatial index up to
 * date. SQLite itself does not have them.
 */
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import { GeometryBlobReader } from './geometry-blob-reader.ts';

/** Names in SQL by their position in bounds. */
const FUNCTIONS = ['ST_MinX', 'ST_MinY', 'ST_MaxX', 'ST_MaxY'] as const;

export function defineSpatialFunctions(database: BulkDatabase): void {
  for (const [i, name] of FUNCTIONS.entries())
    database.define(name, (blob) => {
      const bounds = boundsOf(blob);
      return bounds === null || isEmpty(bounds) ? null : bounds[i];
    });
  database.define('ST_IsEmpty', (blob) => {
    const bounds = boundsOf(blob);
    return bounds === null ? null : isEmpty(bounds) ? 1 : 0;
  });
}

function isEmpty([minX, minY, maxX, maxY]: Bounds): boolean {
  return !(minX <= maxX && minY <= maxY);
}

const HEADER_BYTES = 8;
/** A header without envelope, then byte order, type and ordinates. */
const LEAST_POINT_BYTES = HEADER_BYTES + 5 + 16;

/** Null for what is not a geometry blob. Throws GPKG_ROW for a damaged one. */
function boundsOf(blob: SqlValue): Bounds | null {
  if (!(blob instanceof Uint8Array) || blob.length < HEADER_BYTES || blob[0] !== 0x47 || blob[1] !== 0x50)
    return null;
  const view = new DataView(blob.buffer, blob.byteOffset, blob.length);
  const flags = blob[3];
  const envelope = (flags >> 1) & 7;
  if (envelope >= 1 && envelope <= 4 && blob.length >= HEADER_BYTES + 32) {
    const isLittleEndian = (flags & 1) === 1;
    const [minX, maxX, minY, maxY] = [8, 16, 24, 32].map((at) => view.getFloat64(at, isLittleEndian));
    return [minX, minY, maxX, maxY];
  }
  if (envelope === 0 && blob.length >= LEAST_POINT_BYTES && blob[HEADER_BYTES] === 1) {
    if (view.getUint32(HEADER_BYTES + 1, true) % 1000 === 1) {
      const [x, y] = [view.getFloat64(HEADER_BYTES + 5, true), view.getFloat64(HEADER_BYTES + 13, true)];
      return [x, y, x, y];
    }
  }
  const reader = new GeometryBlobReader(
    {
      table: '',
      geometryType: 'GEOMETRY',
      srsId: 0,
      coordinatesPerFeature: blob.length,
      rowName: () => '',
      findings: new Findings(),
    },
    1,
    blob.length,
  );
  reader.read(blob, 0, blob.length);
  return positionBounds(reader.finish());
}
