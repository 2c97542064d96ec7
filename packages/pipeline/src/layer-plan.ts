/** The plan of a layer of the output; planConversion makes it. */
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import type { ChainLink, StagePlan } from './chain.ts';
import type { PositionRange } from './position-range.ts';

/** A layer of the output, unless several of them are joined at its end. */
export interface LayerPlan {
  readonly name: string;
  /** At least one; their features follow one another. The steps work in the CRS of the first. */
  readonly sources: readonly SourcePlan[];
  readonly targetCrs: CrsText;
  /** Some link changes the CRS of the coordinates. */
  readonly reproject: boolean;
  /** The links of stage 0, one list for each CRS of the sources. */
  readonly routes: readonly (readonly ChainLink[])[];
  /** At least one; stage 0 with the route of the first source. After it the links are the same for all sources. */
  readonly stages: readonly StagePlan[];
  /** Statistics that the files declare of the layer's features; null: the features must be read. */
  readonly declaredStatistics: LayerStatistics | null;
  /** The layer of the target that gets the features of the other sources; null: a new layer is written. */
  readonly target: SourceLayer | null;
}

/** A layer of an input file whose features are written to a layer of the output. */
export interface SourcePlan {
  /** Position among the input files. */
  readonly fileIndex: number;
  /** Position in the file's list of layers. */
  readonly layerIndex: number;
  readonly name: string;
  readonly crs: CrsText;
  /** What its positions can be; null: not checked. */
  readonly positionRange: PositionRange | null;
  /** Position among the routes of the layer. */
  readonly route: number;
}
