/** How a layer is encoded. Plain data. */
import type { Field } from '@geomill/core/columns/schema.ts';

/** Units of a side of a tile. */
export const EXTENT = 4096;
/** Units around a tile that it also shows, so that lines drawn along its border are whole; a multiple of CELL. */
export const BUFFER = 64;
/** Below the largest zoom: units between the lines of the grid on which positions are; half a pixel of a tile with 512. */
export const GRID = 4;
/** Units of a pixel of a tile with 512. */
export const CELL = 8;

export interface WriteState {
  readonly layer: number;
  readonly layerName: string;
  readonly fields: readonly Field[];
  /** Index of the field with feature ids; -1: none. */
  readonly idField: number;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly dropsSmall: boolean;
  /** Bytes of a compressed tile. */
  readonly tileLimit: number;
}
