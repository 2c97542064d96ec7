/** What the search for the geometry starts from and finds; shared by its parts. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { AssumedCrs } from '../format.ts';
import type { LineStart } from './header.ts';
import type { TableMessages } from './messages.ts';
import type { RowCheck } from './row-checks.ts';
import type { GeometryPlace } from './row-geometry.ts';
import type { Sample } from './sample.ts';

/** A header read with one delimiter, and the first rows. */
export interface HeaderReading {
  readonly delimiter: number;
  readonly messages: TableMessages;
  /** The byte that lines are counted by. */
  readonly newline: number;
  readonly names: readonly string[];
  /** Line of the header, counted from 1. */
  readonly line: number;
  /** Where the first row begins. */
  readonly dataStart: LineStart;
  /** The rows end with a delimiter that the header has not; the last of the names is empty then. */
  readonly hasTrailing: boolean;
  /** The first rows. */
  readonly sample: () => Sample;
}

export interface LocatedGeometry {
  readonly place: GeometryPlace;
  readonly assumedCrs: AssumedCrs | null;
  /** Bounds of the sampled coordinates if no CRS is assumed, for suggestions; see `typicalBounds`. */
  readonly extent?: Bounds;
  readonly hasOutliers?: boolean;
  /** What speaks against degrees although the names say so, as part of a sentence. */
  readonly doubt?: string;
  /** What later rows must not contradict. */
  readonly checks?: readonly RowCheck[];
}

/** A column name for messages. */
export function shown(name: string): string {
  return name.slice(0, 40);
}
