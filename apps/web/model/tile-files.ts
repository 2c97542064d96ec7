/** Archives of tiles, and the files of this kind that were dropped. */
import { signal } from '@preact/signals';
import type { EngineJob } from '../engines/engine.ts';
import type { DataRole } from '../map/data-style.ts';
import { TILES_FORMAT } from './preview-format.ts';

export interface TileLayer {
  readonly id: string;
  readonly role: DataRole;
  readonly title: string;
  /** A file of this page, or the job that has made it. */
  readonly content: Blob | EngineJob;
}

/** Files that were dropped only to see them. */
export const tileFiles = signal<readonly TileLayer[]>([]);

export function isTileFile(name: string): boolean {
  return name.toLowerCase().endsWith(`.${TILES_FORMAT}`);
}

let lastFile = 0;

/** Shows a file on the map. It is no source: geomill converts nothing from tiles. */
export function addTileFile(name: string, content: Blob): void {
  lastFile += 1;
  tileFiles.value = [
    ...tileFiles.peek(),
    { id: `tile file ${lastFile}`, role: 'source', title: name, content },
  ];
}

export function removeTileFile(id: string): void {
  tileFiles.value = tileFiles.peek().filter((file) => file.id !== id);
}
