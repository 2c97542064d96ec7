/** Every transformation geomill knows. Adding one is its file and one line here. */

/** What a transformation is to the rest of geomill; parameters, units and guarantees join with the first one. */
export interface Transformation {
  readonly id: string;
  readonly title: string;
}

export const transformations: readonly Transformation[] = [];
