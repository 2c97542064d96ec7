/** What is known of a layer before its features are read. Plain data. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { DeclaredField } from './fields.ts';

export interface LayerState {
  readonly path: string;
  /** The file name for messages. */
  readonly fileName: string;
  /** features, geometries: the elements of an array. feature, geometry: one object. sequence: features one after another. */
  readonly content: 'features' | 'geometries' | 'feature' | 'geometry' | 'sequence';
  /** Offset of the first element. */
  readonly firstStart: number;
  /** Offset of the end of the array or object; null: the last partition reads the members after the array, too. */
  readonly end: number | null;
  /** Arrays and objects around an element. */
  readonly depth: number;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  readonly isZoneUnknown: boolean;
  readonly crs: CrsText | null;
  /** The document states no type of geometry. */
  readonly isTable: boolean;
  /** Null: the file declares none. */
  readonly fields: readonly DeclaredField[] | null;
}
