/** Values by which features are selected before they are read. */

/** Integers that a double cannot hold are bigints. */
export type WantedValue = number | bigint | string | boolean;

/** Only features whose field has one of the values, or one in the range, are wanted. */
export type WantedValues =
  | { readonly field: string; readonly values: readonly WantedValue[] }
  /** Both ends are inclusive. Null: the range has no end on that side. */
  | {
      readonly field: string;
      readonly range: readonly [least: WantedValue | null, most: WantedValue | null];
    };
