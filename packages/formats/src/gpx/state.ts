/** What opening a document finds; plain data, sent to the workers. */
import type { FileSegment } from '@geomill/io/file-segment.ts';
import type { LayerKind } from './standard-fields.ts';

export interface DocumentState {
  /** The document in UTF-8: the file, or its converted copy. */
  readonly segment: FileSegment;
  /** The file name for messages. */
  readonly fileName: string;
  /** Prefix of the root element, without the colon. */
  readonly rootPrefix: Uint8Array;
  /** Whether standard fields without values are fields. */
  readonly hasStandardFields: boolean;
}

export interface LayerState {
  readonly kind: LayerKind;
  readonly document: DocumentState;
  /** Ranges of the document: see PIECE. */
  readonly pieces: Float64Array;
  /** Number of the first piece of each part of which partitions consist; after them, the number of pieces. */
  readonly partStarts: Float64Array;
}

/**
 * Numbers of a piece: a range of the document between two points or lines. It may begin inside a route or track: `level` is 0
 * outside, 1 in a route or track, and 2 in a segment.
 */
export const PIECE = {
  start: 0,
  end: 1,
  level: 2,
  /** Waypoints, routes or tracks that begin in it, and their points. */
  features: 3,
  points: 4,
  /** Numbers from 0, of the first route or track that it has a part of, its segment, and the next point of that. */
  feature: 5,
  segment: 6,
  point: 7,
} as const;
export const PIECE_STRIDE = 8;

export interface PieceCounts {
  readonly features: number;
  readonly points: number;
}

/** Counts of the parts `[start, end)`. */
export function countsOf({ pieces, partStarts }: LayerState, start: number, end: number): PieceCounts {
  let features = 0;
  let points = 0;
  for (let i = partStarts[start]; i < partStarts[end]; i++) {
    features += pieces[i * PIECE_STRIDE + PIECE.features];
    points += pieces[i * PIECE_STRIDE + PIECE.points];
  }
  return { features, points };
}
