/** What a JSON body is split into, and how: the contract of split.ts. */
import type { ConfigLimits } from './config-limits.ts';

/** Which members of the body hold documents; all others are config. */
export interface JsonBodyMembers {
  /** Their value is one document; null counts as absent. */
  readonly documents: readonly string[];
  /** Their value is an array of documents; null counts as absent. */
  readonly documentLists: readonly string[];
  /** Parameters of steps that are handed on as files where they are large; see config-scanner.ts. */
  readonly fileParameters: ReadonlySet<string>;
}

export interface JsonBodyLimits {
  /** Its bytes: all names of members, and the values of those that hold no documents; white space between does not count. */
  readonly config: ConfigLimits;
  /** Documents in the body, alone or in lists. */
  readonly maxDocuments: number;
  /** What sets `maxDocuments`, for the message: the name of a setting, or 'a fixed limit'. */
  readonly maxDocumentsSetting: string;
}

/** What is handed on, in the order of the body: per document or lifted parameter one `begin` of its kind, one or more `bytes`, one `end`. */
export type JsonBodyPiece =
  | {
      readonly kind: 'begin';
      readonly member: string;
      /** Place in its list, from 0; null when the member is no list. */
      readonly index: number | null;
      /** For messages: `input_geojson`, `append_geojson_list[3]`. */
      readonly path: string;
    }
  | { readonly kind: 'begin-step-file'; readonly path: string }
  /** A view of the chunk, not a copy: write it before the memory of the chunk is used again. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

export interface JsonBody {
  readonly config: Readonly<Record<string, unknown>>;
  /** Documents of each document member that came and was not null; of an empty list 0. */
  readonly documentCounts: ReadonlyMap<string, number>;
}
