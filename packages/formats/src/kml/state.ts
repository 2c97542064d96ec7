/** What opening a document finds; plain data, sent to the workers. */
import type { TextHint } from '@geomill/core/columns/text-columns.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import type { SharedStyles } from './styles.ts';

/** Types of the fields of a Schema, by name. */
export type SchemaTypes = ReadonlyMap<string, TextHint>;

export interface DocumentState {
  /** The document in UTF-8: the file, its converted copy, or a member of a KMZ. */
  readonly segment: FileSegment;
  /** The file name for messages. */
  readonly fileName: string;
  /** Prefix of the root element, without the colon. */
  readonly rootPrefix: Uint8Array;
  /** As Structure.placemarkNames. */
  readonly placemarkNames: ReadonlySet<string>;
  readonly styles: SharedStyles;
  /** Whether standard fields without values are fields. */
  readonly hasStandardFields: boolean;
}

export interface LayerState {
  readonly document: DocumentState;
  /**
   * Start, end and number of features of each part of the document that has only features of the layer, and elements between
   * them. A part follows the one before directly if it begins at its end.
   */
  readonly parts: Float64Array;
  /** Declared types by the Schema of the layer and by all others; those of a name with several types are inferred. */
  readonly types: SchemaTypes;
  /** Declared types of the elements of arrays, by the names of the fields. */
  readonly arrays: SchemaTypes;
  /** Fields that are declared for the layer, whether or not a feature has them. */
  readonly declared: readonly string[];
}
