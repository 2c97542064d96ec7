/** Values by which features are selected before they are read. */

/** Only features whose field has one of the values are wanted. Integers that a double cannot hold are bigints. */
export interface WantedValues {
  readonly field: string;
  readonly values: readonly (number | bigint | string | boolean)[];
}
