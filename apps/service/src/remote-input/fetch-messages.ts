/** Messages between the service and a fetching process, over a channel of process-channel.ts. */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import type { UrlPolicy } from './policy.ts';

/** Kinds of servers whose layers are fetched in pages. */
export type LayerService = 'arcgis';

export interface FetchTask {
  readonly url: string;
  /** Location of the URL in the request, for messages. */
  readonly urlPath: string;
  /** Path of the new file; must not exist. */
  readonly path: string;
  readonly policy: UrlPolicy;
  readonly limits: FetchLimits;
  readonly userAgent: string;
  /** The URL is that of a layer of such a server; missing: that of a file. */
  readonly service?: LayerService;
}

/** For the response headers of a host, and for each pause; the time for the whole file is a setting. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const STALL_TIMEOUT_MS = 30_000;

/** What a fetching process is sent. */
export interface ToFetcher extends FetchTask {
  /** Certificate authorities of NODE_EXTRA_CA_CERTS, PEM: the process has no environment. */
  readonly extraAuthorities: readonly string[];
}

export interface FetchLimits {
  readonly maxBytes: number;
  /** For the whole fetch. */
  readonly totalMs: number;
  /** For each URL: lookup, connection and response headers. */
  readonly headersMs: number;
  /** Maximum time without data. */
  readonly stallMs: number;
}

export const FILE_ENDS = ['stated', 'marked', 'unknown'] as const;

export interface FetchedFile {
  /** The host that sent the file; after a redirect, not the host of the URL. */
  readonly host: string;
  readonly byteLength: number;
  /** Name given by the host or the URL, not yet safe as a file name; null: none. */
  readonly name: string | null;
  /**
   * How the end of the file is known. stated: by the answer. Otherwise the host only closed the connection. marked: a file of this
   * kind shows its end, so that its reader refuses it if it was cut. unknown: a file that was cut can look complete.
   */
  readonly end: (typeof FILE_ENDS)[number];
  /** Default: a file was fetched. */
  readonly layer?: FetchedLayer;
}

export interface FetchedLayer {
  readonly name: string;
  readonly features: number;
  /** Number of requests that were made. */
  readonly requests: number;
  /** Names of parameters of the URL that were not sent, with commas; '': none. */
  readonly ignoredParameters: string;
}

export type FromFetcher =
  | { readonly type: 'fetched'; readonly file: FetchedFile }
  /** `log`: additional information for the operator. */
  | { readonly type: 'failed'; readonly error: PlainError; readonly log: string | null };
