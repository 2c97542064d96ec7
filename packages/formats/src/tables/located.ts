/** What the search for the geometry starts from and finds; shared by its parts. */
import type { AngleColumns } from '@geomill/core/geometry/angle-names.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { OrdinateNotation } from '@geomill/core/text/ordinate-text.ts';
import { type AssumedCrs, CRS_WITHOUT_POSITIONS } from '../reader.ts';
import type { GeometryPlace } from './geometry-place.ts';
import type { TableMessages } from './messages.ts';
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
  /** No row has a position. Default: rows have. */
  readonly isTable?: true;
  /** What later rows must not contradict. */
  readonly checks?: readonly RowCheck[];
}

/** Of a table of attributes alone. */
export const NO_POSITIONS: LocatedGeometry = {
  place: { kind: 'none' },
  assumedCrs: CRS_WITHOUT_POSITIONS,
  isTable: true,
};

/** A column name for messages. */
export function shown(name: string): string {
  return name.slice(0, 40);
}

/** A position between two lines. */
export interface LineStart {
  readonly offset: number;
  /** Number of lines before it. */
  readonly lines: number;
}

/** Columns are counted from 0. Plain data. */
export type RowCheck =
  /** No S or W (or O, if it can be west) for the coordinate whose degrees are in another column. */
  | {
      readonly kind: 'letters';
      readonly column: number;
      readonly axis: 'x' | 'y';
      readonly degrees: number;
      readonly letterO: 'E' | 'W' | null;
    }
  /** One UTM zone, of which `line` is the first row; null: the first rows have none. */
  | {
      readonly kind: 'zone';
      readonly column: number;
      readonly zone: string | null;
      readonly line: number;
      readonly isUtm: boolean;
    }
  /** Degrees with decimals, of which the minutes are no part. */
  | {
      readonly kind: 'decimals';
      readonly axes: readonly AngleColumns[];
      readonly notation: OrdinateNotation;
      readonly saysDegrees: boolean;
    }
  /** No geometries, although the name says so. */
  | { readonly kind: 'no geometry'; readonly column: number }
  /** Only the delimiter at the end of rows. */
  | { readonly kind: 'trailing'; readonly column: number };
