/** Messages from the main thread to a worker: one partition or one kept batch, and the work on it. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FieldMapping } from '@geomill/core/columns/field-mapping.ts';
import type { FieldMisfits } from '@geomill/core/columns/misfits.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { PlainError } from '@geomill/core/messages/errors.ts';
import type { FindingRows } from '@geomill/core/messages/finding-rows.ts';
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import type { SphereMoves } from '@geomill/core/sphere/reprojection.ts';
import type { Partition, SourceLayer } from '@geomill/formats/reader.ts';
import type { LayerEncoding } from '@geomill/formats/writer.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { Content } from '@geomill/io/zip-pack.ts';
import type { StepParameters } from '@geomill/operations/transformation.ts';
import type { ApproximationCounts } from '@geomill/proj/approximation.ts';
import type { OutsideCounts } from '@geomill/proj/area.ts';
import type { OperationDescription } from '@geomill/proj/operation-description.ts';
import type { TransformerRecipe } from '@geomill/proj/proj.ts';

/** How positions are transformed. */
export interface TransformSetting {
  readonly gridDirectory: string | null;
  /** Bytes of all inputs, by which it is decided which operations are approximated; 0: none. The same for all tasks of a conversion. */
  readonly approximatedBytes: number;
}

/** Data for all tasks of a conversion; sent to each worker once. */
export interface Session extends TransformSetting {
  readonly inputFormat: string;
  /** Null when nothing is encoded. */
  readonly outputFormat: string | null;
  readonly layers: readonly SessionLayer[];
  readonly limits: InputLimits;
  /** Statistics include the ids. */
  readonly statisticsOfIds: boolean;
  /** Findings list the features that they concern, with their places. */
  readonly locatesFindings: boolean;
}

/** Code that a thread can load while the input is being opened. */
export interface Expectation {
  readonly inputFormat: string;
  readonly outputFormat: string;
  /** Types of the steps. */
  readonly transformations: readonly string[];
}

/** One layer of an input file. The sources of an output layer share all stages but the first. */
export interface SessionLayer {
  readonly source: SourceLayer;
  /** Format of the source. Default: that of the session. */
  readonly format?: string;
  /** At least one; the last one ends in statistics and encoding. Shared stages are prepared once. */
  readonly stages: readonly SessionStage[];
  /** Check positions against this; null: no check. */
  readonly positionRange: PositionRange | null;
  /** The positions are in degrees, and the bounds in statistics are to contain features across the antimeridian. Default: false. */
  readonly hasSphereBounds?: boolean;
  /** Value of the field that holds the source layer of joined layers; null: no such field. */
  readonly layerField: { readonly name: string; readonly value: string } | null;
}

/** As in chain.ts, with the data that a worker needs. */
export interface SessionStage {
  /** Of the layer that the features belong to after the field mapping. */
  readonly layerName: string;
  readonly links: readonly SessionLink[];
  readonly collect: SessionStep | null;
}

export type SessionLink =
  | {
      readonly kind: 'reproject';
      readonly number: number;
      readonly recipe: TransformerRecipe;
      /** Null: one of the systems has no known position on the Earth. */
      readonly sphere: SphereRoute | null;
    }
  | SessionStep;

/** What a reprojection needs to keep shapes across the antimeridian and around poles. */
export interface SphereRoute extends Pick<SphereMoves, 'from' | 'to' | 'metersFrom' | 'metersTo'> {
  /** Name of the target, for findings. */
  readonly targetName: string;
  /** From one map to another by longitudes of WGS 84; null: not needed, or not possible. */
  readonly byDegrees: {
    readonly toDegrees: TransformerRecipe;
    readonly fromDegrees: TransformerRecipe;
  } | null;
}

export interface SessionStep {
  readonly kind: 'step';
  /** Position in the request's list. */
  readonly step: number;
  /** Id of the transformation. */
  readonly type: string;
  readonly path: string;
  readonly parameters: StepParameters;
  readonly crs: CrsDescription;
  readonly fromWgs84: Route;
  readonly toWgs84: Route;
  /** Of the file that the step has instead of a value; null: it has none. */
  readonly file: {
    readonly crs: CrsDescription;
    readonly toData: Route;
    readonly toWgs84: Route;
  } | null;
}

/** Between two systems, such as EPSG:4326 and the CRS of the data; null where they are the same. An error is thrown only when the route is used. */
export type Route = { readonly recipe: TransformerRecipe } | { readonly error: PlainError } | null;

export interface Task {
  readonly layerIndex: number;
  /** Where the records come from: the source, or a batch that an earlier task or a collecting step returned. */
  readonly input:
    | { readonly kind: 'partition'; readonly partition: Partition; readonly fields: readonly Field[] | null }
    | { readonly kind: 'batch'; readonly batch: FeatureBatch };
  /** The stage whose links are applied; null: none. */
  readonly stage: number | null;
  /** Fields to cast the batch to before the links; null: no cast. */
  readonly stageFields: readonly Field[] | null;
  /** Maps the fields of the batch to those of its layer before the links. Default: null, they are the same. */
  readonly fieldMapping?: SourceMapping | null;
  /** Return the numbers of the rows that are left after the links; only links that keep or drop rows come before. */
  readonly numbersRows?: true;
  /** Number of features of the layer before the batch, for the first step of the stage. Default: no step uses it. */
  readonly rowsBefore?: number;
  /** Statistics of the batch, at this depth; null: none. */
  readonly statisticsDepth: 'fields' | 'all' | null;
  /** Return the batch itself. */
  readonly keepBatch: boolean;
  /** How to encode the batch; null: not at all. */
  readonly encoding: LayerEncoding | null;
  /** Name of a first field for the ids before encoding; empty: ids are dropped. Default: null, they stay ids. */
  readonly idField?: string | null;
  /** Count the features of each value or, without `statisticsDepth`, encode them. Default: the batch is not divided. */
  readonly split?: TaskSplit;
}

export interface TaskSplit {
  /** Null: the last field of the batch, which is no part of the output. */
  readonly field: string | null;
  /** Position of the layer in the plan. */
  readonly layer: number;
}

export interface TaskResult {
  /** Rows after the links. */
  readonly rowCount: number;
  /** Rows read; 0 for a batch input. */
  readonly rowsRead: number;
  /** Fields of the batch as it was read. */
  readonly fields: readonly Field[];
  /** See PartitionRead; for a batch input all 0. */
  readonly nextStart: number;
  readonly recordCount: number;
  readonly lineCount: number;
  readonly readFindings: readonly FoundFinding[];
  /** See PartitionRead; for a batch input none. */
  readonly misfits: readonly FieldMisfits[];
  /** Locations count the input rows from 1. */
  readonly mappingFindings: readonly FoundFinding[];
  readonly encodeFindings: readonly FoundFinding[];
  readonly statistics: LayerStatistics | null;
  readonly batch: FeatureBatch | null;
  readonly chunk: unknown;
  /** Of a task with `numbersRows`: from 0 within the partition. */
  readonly rowNumbers?: Int32Array<ArrayBuffer>;
  /** Of a task with `split`. */
  readonly parts?: readonly PartResult[];
  /** Null: not checked. */
  readonly range: RangeCounts | null;
  readonly reprojections: readonly ReprojectionCounts[];
  readonly steps: readonly StepOutcome[];
}

/** One step of one batch. */
export interface StepOutcome {
  /** Position in the request's list. */
  readonly step: number;
  readonly rowsIn: number;
  /** Positions of the batch at the begin of the stage. */
  readonly positionsIn: number;
  readonly positionsOut: number;
  readonly rowsOut: number;
  readonly seconds: number;
  /** Locations count the input rows from 1. */
  readonly findings: readonly FoundFinding[];
  /** For the `addition` of the step. */
  readonly forAddition?: unknown;
}

/** A call of a collecting step to its other half in a worker. */
export interface StepCall {
  readonly layerIndex: number;
  readonly stage: number;
  readonly payload: unknown;
}

/** Work for `open` of a reader. */
export interface ReaderWork {
  /** Id of its format. */
  readonly format: string;
  readonly payload: unknown;
}

/** A piece of an archive that is compressed. */
export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly content: Content;
}

export type TaskOutcome =
  | { readonly result: TaskResult }
  /** Of a call or of work for a reader or writer, or a PackedPiece. */
  | { readonly answer: unknown }
  | { readonly error: PlainError; readonly stack?: string };

/** Plain data: it goes to workers with every task. */
export interface SourceMapping {
  readonly mapping: FieldMapping;
  readonly keepIds: boolean;
  /** Name of the field that gets the ids; null: none. */
  readonly idField: string | null;
  /** Ids that are not kept are a loss: they are data, not row numbers. */
  readonly idsAreData: boolean;
  /** A field after those of the mapping, with the same value in every feature. Default: there is none. */
  readonly constant?: { readonly name: string; readonly value: string };
  /** Name of the source in findings: "'roads.shp'"; null: no findings, because one finding covers all sources. */
  readonly reportedAs: string | null;
}

/** A value as text, as CSV prints it; null: none. Values with the same text are the same. */
export type SplitValue = string | null;

/** How to encode the features of each value, for each layer of the plan. */
export type PartEncodings = readonly ReadonlyMap<SplitValue, LayerEncoding>[];

/** The features of a batch with the same value. */
export interface PartResult {
  readonly value: SplitValue;
  readonly rowCount: number;
  /** Those of them that the writer dropped. */
  readonly undrawn: number;
  readonly chunk: unknown;
  /** Without fields; null: not collected. */
  readonly statistics: LayerStatistics | null;
}

/** One reprojection of one batch. */
export interface ReprojectionCounts {
  /** Position among the reprojections of the layer. */
  readonly number: number;
  readonly rows: number;
  /** The coordinate operations of a sample of the positions; PROJ chooses one for each position. */
  readonly operations: readonly OperationDescription[];
  readonly outside: OutsideCounts;
  /** Null: every position was transformed by the operation itself. */
  readonly approximated: ApproximationCounts | null;
  /** Locations count the rows of the batch from 1. */
  readonly findings: readonly FoundFinding[];
}

/** What positions in a CRS can be, in its units. Plain data. */
export interface PositionRange {
  /** For messages: "EPSG:4326". */
  readonly crs: string;
  /** Largest absolute x and y; null: the CRS is not geographic. */
  readonly limits: readonly [x: number, y: number] | null;
  /** The area of use with a tolerance; null: unknown, the whole world, or across the antimeridian. */
  readonly area: Bounds | null;
  /** Length of the equator in units of a geographic CRS: longitudes may differ by it; else 0. */
  readonly turn: number;
  /** Count features outside the area; false: a reprojection counts them. */
  readonly countsOutside: boolean;
}

/** Of a batch. */
export interface RangeCounts {
  readonly bounds: Bounds;
  /** Features with a longitude or latitude beyond the limits. */
  readonly impossible: number;
  /** Features outside the area of use but within the limits. */
  readonly outside: number;
  /** First position of the first few features beyond the limits; records count from 1. */
  readonly places: readonly { readonly record: number; readonly x: number; readonly y: number }[];
  /** The first of these features with their boxes. Default: they are not collected. */
  readonly rows?: { readonly impossible: FindingRows; readonly outside: FindingRows };
}
