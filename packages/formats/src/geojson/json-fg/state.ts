/** How the features of a JSON-FG document are divided into layers. Plain data: threads get it. */

/** What a feature has as its geometry. none: it has no geometry. */
export type GeometrySource = 'place' | 'geometry' | 'none';

/** Names of the fields that get the member `time`: another property of the document may have the usual one. */
export interface TimeNames {
  readonly time: string;
  readonly start: string;
  readonly end: string;
}

export interface JsonFgState {
  /** Number of the layer by `featureKey`. */
  readonly layers: Readonly<Record<string, number>>;
  /** Values of `coordRefSys`, as JSON text, whose positions have y first. */
  readonly swapped: readonly string[];
  /** Of the root object, as JSON text; null: it has none. */
  readonly rootCrs: string | null;
  readonly rootMeasures: boolean;
  /** The document says that it is JSON-FG, or states a CRS: `place` is the geometry of features that also have a `geometry`. */
  readonly prefersPlace: boolean;
  readonly timeNames: TimeNames;
}

/** The layer that is read. */
export interface JsonFgLayer {
  readonly name: string;
  readonly number: number;
  readonly document: JsonFgState;
}

/** What decides the layer of a feature. */
export interface FeatureKind {
  /** As of `featureTypeName`, of the feature or of a collection that is not the root; null: that of the root. */
  readonly type: string | null;
  readonly source: GeometrySource;
  /** The value of `coordRefSys`, as JSON text; null: that of the root. */
  readonly crs: string | null;
}

export function featureKey({ type, source, crs }: FeatureKind): string {
  return JSON.stringify([type, source, source === 'place' ? crs : null]);
}
