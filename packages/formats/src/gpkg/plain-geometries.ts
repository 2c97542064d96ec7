/** Reads columns of plain geometries by compiled functions (`read_geometries` in wasm/read-rows.c); geometry-blob-reader.ts reads all others. */
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { PageValues } from './page-values.ts';

/** Partitions with more bytes have few geometries, all large: the memory would have to grow, and no time would be saved. */
const MOST_BYTES = 16 << 20;
/** A position takes more, and each ring and part has one. */
const LEAST_RING_BYTES = 16;

/** Null if a geometry needs a change, a finding or an error. */
export function readPlainGeometries(
  { payloads, serials, places }: PageValues,
  srsId: number,
  coordinatesPerFeature: number,
): GeometryColumn | null {
  const { memory, bytes, byteLength, rowCount } = payloads;
  if (byteLength > MOST_BYTES) return null;
  const most = Math.ceil(byteLength / LEAST_RING_BYTES);
  const types = memory.take(rowCount);
  const partOffsets = memory.take((rowCount + 1) * 4);
  const partKinds = memory.take(most);
  const ringOffsets = memory.take((most + 1) * 4);
  const coordOffsets = memory.take((most + 1) * 4);
  const coordinates = memory.take(byteLength);
  const into = memory.put(
    Uint32Array.of(types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, 0, 0, 0),
  );
  const { functions } = memory;
  const isPlain = functions.read_geometries(
    serials,
    places,
    rowCount,
    bytes,
    srsId,
    coordinatesPerFeature,
    into,
  );
  const [partCount, ringCount, positionCount] = memory.uint32(into + 24, 3);
  const column: GeometryColumn | null =
    isPlain === 0
      ? null
      : {
          dimensions: 'XY',
          types: memory.copyOfBytes(types, rowCount),
          partOffsets: memory.copyOfUint32(partOffsets, rowCount + 1),
          partKinds: memory.copyOfBytes(partKinds, partCount),
          ringOffsets: memory.copyOfUint32(ringOffsets, partCount + 1),
          coordOffsets: memory.copyOfUint32(coordOffsets, ringCount + 1),
          coordinates: memory.copyOfFloat64(coordinates, positionCount * 2),
        };
  memory.free(types);
  return column;
}
