/** The plan of a conversion, as plan.ts makes it: plain types, which all that runs it knows. */
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import type { RequestedStep } from '@geomill/operations/requested-steps.ts';
import type { GeometryUse, Longitudes, TransformationCode } from '@geomill/operations/transformation.ts';
import type { ConversionRequest, MergeRequest, SplitRequest } from './request.ts';
import type { PositionRange } from './task.ts';

export interface ConversionPlan {
  readonly operation: ConversionRequest['operation'];
  readonly layers: readonly LayerPlan[];
  /** The output is a copy of the target with more features, and all else that is in the target. */
  readonly extendsTarget: boolean;
  readonly steps: readonly LoadedStep[];
  /** Null: not a merge. */
  readonly merge: MergeRequest | null;
  /** The fields of the sources of a layer are mapped to one list of fields. */
  readonly unifiesFields: boolean;
  /** A pass before the steps infers the schema (fields and types), so that the steps see the same fields in every batch. */
  readonly infersSchema: boolean;
  /** Statistics of the output of the steps that a pass before the encoding one collects; null: none. */
  readonly statisticsDepth: 'fields' | 'all' | null;
  /** Name of the field that holds the source layer where layers are joined in the output; null: they are not joined. */
  readonly layerField: string | null;
  /** Null: the output is not split by a field. */
  readonly split: SplitRequest | null;
  /** Feature ids are data and the output cannot store them: they become a field. */
  readonly keepsIdsAsField: boolean;
}

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
  /** It is written as a table without geometries. */
  readonly isTable: boolean;
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

/** A step of the request with its code. */
export interface LoadedStep extends RequestedStep {
  readonly path: string;
  readonly code: TransformationCode;
  readonly longitudes: Longitudes;
  readonly usesGeometries: GeometryUse;
  /** Of the coordinates in the file of the step. Default: it has none, or one of which it uses no geometries. */
  readonly fileCrs?: CrsText;
}

/** One operation on a batch within a task. */
export type ChainLink =
  | {
      readonly kind: 'reproject';
      readonly from: CrsText;
      readonly to: CrsText;
      /** Position among the reprojections of the layer. */
      readonly number: number;
    }
  | StepLink;

export type ReprojectionLink = ChainLink & { readonly kind: 'reproject' };

export interface StepLink {
  readonly kind: 'step';
  /** Position in the request's list. */
  readonly step: number;
  /** CRS of the coordinates that the step gets. */
  readonly crs: CrsText;
}

export interface StagePlan {
  readonly links: readonly ChainLink[];
  /** The collecting or serial step that ends the stage; null: the last stage, or one after which features are counted or added. */
  readonly collect: StepLink | null;
}

/** A format of input files. */
export interface PlannedInput {
  readonly format: Format;
  readonly reader: Pick<FormatReader, 'typing' | 'ids' | 'target'>;
}
