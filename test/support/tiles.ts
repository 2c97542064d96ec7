/** Reads tiles of a PMTiles archive with the readers of its authors: `pmtiles`, `@mapbox/vector-tile`. */
import { readFileSync } from 'node:fs';
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { type Entry, type Header, PMTiles, tileIdToZxy } from 'pmtiles';

export interface Tile {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
  /** Bytes of the compressed tile. */
  readonly byteLength: number;
  /** Not compressed. */
  readonly bytes: Uint8Array;
  readonly features: readonly { readonly layer: string; readonly feature: VectorTileFeature }[];
}

export interface Archive {
  readonly header: Header;
  readonly metadata: { readonly vector_layers: readonly { id: string; fields: Record<string, string> }[] };
  readonly tiles: readonly Tile[];
}

export async function readArchive(path: string): Promise<Archive> {
  const bytes = readFileSync(path);
  const source = {
    getKey: () => path,
    getBytes: async (offset: number, length: number) => ({
      data: new Uint8Array(bytes.subarray(offset, offset + length)).buffer,
    }),
  };
  const archive = new PMTiles(source);
  const header = await archive.getHeader();
  const entries: Entry[] = [];
  const visit = async (offset: number, length: number): Promise<void> => {
    for (const entry of await archive.cache.getDirectory(source, offset, length, header))
      if (entry.runLength === 0) await visit(header.leafDirectoryOffset + entry.offset, entry.length);
      else entries.push(entry);
  };
  await visit(header.rootDirectoryOffset, header.rootDirectoryLength);
  const tiles: Tile[] = [];
  for (const { tileId, runLength, length } of entries)
    for (let run = 0; run < runLength; run++) {
      const [zoom, x, y] = tileIdToZxy(tileId + run);
      const found = await archive.getZxy(zoom, x, y);
      if (found === undefined) throw new Error(`tile ${zoom}/${x}/${y} is not found`);
      const bytes = new Uint8Array(found.data);
      const { layers } = new VectorTile(new PbfReader(bytes));
      const features = Object.values(layers).flatMap((layer) =>
        Array.from({ length: layer.length }, (_, i) => ({ layer: layer.name, feature: layer.feature(i) })),
      );
      tiles.push({ zoom, x, y, byteLength: length, bytes, features });
    }
  return { header, metadata: (await archive.getMetadata()) as Archive['metadata'], tiles };
}
