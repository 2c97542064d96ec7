/** The report of a conversion: every loss and change of data is in it. */
import type { Finding, SeverityCounts } from '@geomill/core/messages/findings.ts';
import type { ApproximationCounts } from '@geomill/proj/approximation.ts';

export interface LayerReport {
  readonly name: string;
  /** Name of its file. */
  readonly file: string;
  /** Features that were read. */
  readonly features: number;
  /** Features that the layer has, if only some were read, for a sample or near a box; null: not known. Absent: all were read. */
  readonly featureTotal?: number | null;
  /** Definition of the source CRS that was used, e.g. "EPSG:28350" or WKT. */
  readonly crs: string;
  readonly crsName: string;
  readonly encoding: string | null;
  readonly fields: readonly FieldReport[];
  /** Number of fields, if the report does not list all of them. */
  readonly fieldCount?: number;
}

export interface FieldReport {
  readonly name: string;
  readonly type: string;
}

/** A layer of the output. */
export interface WrittenLayerReport {
  readonly name: string;
  readonly features: number;
  /** The value of a split output whose features it has, null for none. Absent: it is not one of a value. */
  readonly value?: string | null;
  /** Names of the files, if the output is split into files: several for a shapefile of several kinds of geometries. */
  readonly files?: readonly string[];
}

/** One step over the layers that it works on: featuresIn = featuresOut + (sum of dropped) + merged - generated. */
export interface StepReport {
  readonly type: string;
  /** CRS of the features that it got; several if the layers differ, at most MAX_STEP_CRS. */
  readonly crs: readonly string[];
  readonly featuresIn: number;
  readonly featuresOut: number;
  /** `reason`: code of the warning, or FILTERED for features that the step does not select. */
  readonly dropped: readonly { readonly reason: string; readonly features: number }[];
  /** Features that are in the result as a part of other ones. */
  readonly merged: number;
  /** Features that the step made in addition. */
  readonly generated: number;
  /** In all threads together; 0 for `reproject`, whose work is done where positions are needed. */
  readonly seconds: number;
}

export interface FileReport {
  readonly name: string;
  /** Features read from all its layers. */
  readonly features: number;
}

export interface ReprojectionReport {
  readonly layer: string;
  readonly from: string;
  readonly to: string;
  /** Name of the coordinate operation as PROJ gives it. */
  readonly operation: string;
  /** Metres; null when PROJ does not know it. */
  readonly accuracyMeters: number | null;
  readonly ballpark: boolean;
  readonly gridsUsed: readonly string[];
  readonly gridsMissing: readonly string[];
  /** Share (0 to 1) of the positions outside the area of use of the source or target CRS. */
  readonly outsideAreaOfUse: number;
  /** How many positions polynomials transformed, and how many PROJ. Absent: PROJ transformed all of them. */
  readonly approximated?: ApproximationCounts;
}

/** An input that was fetched from a URL. */
export interface FetchReport {
  /** The host that sent it, with its port if that is not the default. */
  readonly host: string;
  readonly byteLength: number;
}

/** Bytes that were received for a job after its request. */
export function fetchedBytes({
  fetched,
  fetchedSources = [],
}: {
  readonly fetched?: FetchReport;
  readonly fetchedSources?: readonly FetchReport[];
}): number {
  return fetchedSources.reduce((sum, { byteLength }) => sum + byteLength, fetched?.byteLength ?? 0);
}

/** Total number of entries of the lists that were cut. */
export interface ReportTotals {
  readonly files?: number;
  readonly layers?: number;
  readonly fieldsRenamed?: number;
  readonly fieldsRetyped?: number;
  readonly fieldsDropped?: number;
  readonly reprojections?: number;
  readonly outputLayers?: number;
  readonly steps?: number;
  readonly warnings?: number;
}

export interface ConversionReport {
  /** Absent: the input was uploaded. */
  readonly fetched?: FetchReport;
  /** Files of steps that were fetched; absent: none. */
  readonly fetchedSources?: readonly FetchReport[];
  readonly input: {
    readonly format: string;
    /** Of the first file. */
    readonly name: string;
    /** In the order of the request. */
    readonly files: readonly FileReport[];
    readonly layers: readonly LayerReport[];
  };
  readonly output: {
    readonly format: string;
    readonly crs: string;
    readonly mediaType: string;
    readonly byteLength: number;
    /** Absent, as `steps` and the counts below: stored by an earlier version. */
    readonly layers?: readonly WrittenLayerReport[];
  };
  /** read = written + dropped + merged - generated */
  readonly features: {
    /** Records of the input that are no features of it: unreadable ones, and ones that are marked as deleted. */
    readonly skipped?: number;
    readonly read: number;
    /** In an append: features of the appended files. */
    readonly appended?: number;
    readonly written: number;
    readonly dropped: number;
    readonly merged?: number;
    readonly generated?: number;
    readonly repaired: number;
    /** Features that were split; `generated` counts the additional ones. */
    readonly split: number;
  };
  /** In the order of the request. */
  readonly steps?: readonly StepReport[];
  readonly fields: {
    readonly renamed: readonly { readonly layer: string; readonly from: string; readonly to: string }[];
    readonly retyped: readonly {
      readonly layer: string;
      readonly field: string;
      readonly from: string;
      readonly to: string;
    }[];
    readonly dropped: readonly { readonly layer: string; readonly field: string; readonly reason: string }[];
  };
  readonly reprojections: readonly ReprojectionReport[];
  readonly warnings: readonly Finding[];
  /** Kinds of warnings, also of those that the list does not have. Absent: stored by an earlier version. */
  readonly severities?: SeverityCounts;
  readonly timings: { readonly totalMs: number };
  /** Absent: no list was cut. */
  readonly totals?: ReportTotals;
}

/** The stored report of an inspection; its findings are its output. */
export interface InspectionReport {
  readonly fetched?: FetchReport;
  readonly fetchedSources?: readonly FetchReport[];
  readonly warnings: readonly Finding[];
  readonly severities?: SeverityCounts;
  readonly timings: { readonly totalMs: number };
  /** Absent: no list was cut. */
  readonly totals?: ReportTotals;
}

export type JobReport = ConversionReport | InspectionReport;

/** Converts keys to snake_case. Only for reports and their parts, which have no keys from user data. */
export function snakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCaseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCaseKeys(inner),
    ]),
  );
}

/** In their order. */
export const progressStages = ['opening', 'scanning', 'collecting', 'converting', 'finishing'] as const;

export interface Progress {
  /** 0 to 1, never falling. */
  readonly fraction: number;
  readonly stage: (typeof progressStages)[number];
}

/** Without CRS_MEMBER_IGNORED where the request states the CRS: it overrides the file's member on purpose. */
export function reportedFindings<Found extends { readonly code: string }>(
  findings: readonly Found[],
  isCrsStated: boolean,
): readonly Found[] {
  return isCrsStated ? findings.filter(({ code }) => code !== 'CRS_MEMBER_IGNORED') : findings;
}
