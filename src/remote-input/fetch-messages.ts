/** What a service and a fetching process say to each other, over a channel of process-channel.ts. */
import type { PlainError } from '../errors.ts';
import type { UrlPolicy } from './policy.ts';

export interface FetchTask {
  readonly url: string;
  /** Where the request has the URL, for messages. */
  readonly urlPath: string;
  /** Where the file is to stand; must not exist. */
  readonly path: string;
  readonly policy: UrlPolicy;
  readonly limits: FetchLimits;
  readonly userAgent: string;
}

export interface FetchLimits {
  readonly maxBytes: number;
  /** From the first name to look up to the last byte. */
  readonly totalMs: number;
  /** For each URL on the way: look up, connect, receive the headers. */
  readonly headersMs: number;
  /** Longest time without a byte. */
  readonly stallMs: number;
}

export interface FetchedFile {
  /** The host that sent it, which after a redirect is another than that of the URL. */
  readonly host: string;
  readonly byteLength: number;
  /** As the host or the URL calls it, not yet safe as a file name; null: neither does. */
  readonly name: string | null;
  /** False: the host ended the file by closing the connection, so nobody can tell whether it is whole. */
  readonly isLengthStated: boolean;
}

export type FromFetcher =
  | { readonly type: 'fetched'; readonly file: FetchedFile }
  /** `log`: what the operator needs to know beyond the error. */
  | { readonly type: 'failed'; readonly error: PlainError; readonly log: string | null };
