/** What a page and its worker send each other. All of it is plain data and Blobs. */
import type { GeomillError, Progress, Report } from '../types.ts';

/** The functions that a worker runs. */
export type FunctionName = 'convert' | 'append' | 'merge' | 'inspect' | 'crs' | 'read' | OwnFunctionName;

/** For the workspace alone: `request` runs a request of the job API (file-requests.ts), `suggest` answers a question of POST /v1/crs/suggest. */
export type OwnFunctionName = 'request' | 'suggest';

export type ToWorker =
  | { readonly call: number; readonly name: FunctionName; readonly args: readonly unknown[] }
  /** Asks a reading for its next item. */
  | { readonly next: number }
  /** The call, or a reading, is to end. */
  | { readonly abort: number }
  /** The worker is to give its disk back; it answers `closed`. */
  | { readonly close: true };

export interface WireFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Blob;
}

export interface WireConverted {
  readonly files: readonly WireFile[];
  readonly report: Report;
}

export type WireError = Pick<GeomillError, 'code' | 'message' | 'location' | 'suggestions' | 'fixes'>;

export type FromWorker =
  | { readonly call: number; readonly progress: Progress }
  | { readonly call: number; readonly report: Report }
  | { readonly call: number; readonly item: unknown }
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: WireError }
  | { readonly closed: true };
