/** Where the geometry of a row is. */
import type { OrdinateNotation } from '@geomill/core/text/ordinate-text.ts';
import type { AnglesPlace } from './angle-cells.ts';

/** Where the geometry of a row is; columns are counted from 0. Plain data. */
export type GeometryPlace =
  | AnglesPlace
  | { readonly kind: 'column'; readonly index: number }
  /** Rows have none. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'pair';
      readonly x: number;
      readonly y: number;
      /** -1: none. */
      readonly z: number;
      readonly notation: OrdinateNotation;
      /** x and y are angles; a number alone is invalid. */
      readonly areAngles?: boolean;
    }
  | {
      readonly kind: 'point';
      readonly index: number;
      /** null: each value has to state it. */
      readonly order: 'lat_lon' | 'lon_lat' | null;
      readonly notation: OrdinateNotation;
    };
