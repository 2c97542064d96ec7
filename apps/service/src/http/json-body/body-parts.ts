/** What a JSON body is split into, and how: the contract of split.ts. */
import type { ConfigLimits } from './config-limits.ts';

/** Which members of the body hold documents; all others are config. */
export interface JsonBodyMembers {
  /** Their value is one document; null counts as absent. */
  readonly documents: readonly string[];
  /** Their value is an array of documents; null counts as absent. */
  readonly documentLists: readonly string[];
  /** Parameters of steps that become files if they are large; see config-scanner.ts. */
  readonly fileParameters: ReadonlySet<string>;
}

export interface JsonBodyLimits {
  /** Maximum number of bytes: all member names, and the values of members without documents. White space between them does not count. */
  readonly config: ConfigLimits;
  /** Maximum number of documents in the body, single or in lists. */
  readonly maxDocuments: number;
  /** The origin of `maxDocuments`, for the message: the name of a setting, or 'a fixed limit'. */
  readonly maxDocumentsSetting: string;
}

/** The pieces of a body, in its order. Each document or extracted parameter has one `begin`, one or more `bytes` and one `end`. */
export type JsonBodyPiece =
  | {
      readonly kind: 'begin';
      readonly member: string;
      /** Index in its list, from 0; null if the member is not a list. */
      readonly index: number | null;
      /** For messages: `input_geojson`, `append_geojson_list[3]`. */
      readonly path: string;
    }
  | { readonly kind: 'begin-step-file'; readonly path: string }
  /** A view of the chunk, not a copy: write it before the memory of the chunk is reused. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

export interface JsonBody {
  readonly config: Readonly<Record<string, unknown>>;
  /** Number of documents of each document member that is present and not null; 0 for an empty list. */
  readonly documentCounts: ReadonlyMap<string, number>;
}
