/** What a conversion did, for the requester: nothing is lost in silence. */
import type { Finding } from '../findings.ts';

export interface LayerReport {
  readonly name: string;
  /** The file that it is a layer of. */
  readonly file: string;
  readonly features: number;
  /** Definition of the source CRS that was used, e.g. "EPSG:28350" or WKT. */
  readonly crs: string;
  readonly crsName: string;
  readonly encoding: string | null;
  readonly fields: readonly FieldReport[];
  /** Of a layer whose fields are not all in the report: how many it has. */
  readonly fieldCount?: number;
}

export interface FieldReport {
  readonly name: string;
  readonly type: string;
}

export interface FileReport {
  readonly name: string;
  /** Read of all its layers. */
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
}

/** Of an input that was fetched by its URL. */
export interface FetchReport {
  /** The host that sent it, with its port where that is not the usual one. */
  readonly host: string;
  readonly byteLength: number;
}

/** Lists that are too long for a report, with the number of entries they would have. */
export interface ReportTotals {
  readonly files?: number;
  readonly layers?: number;
  readonly fieldsRenamed?: number;
  readonly fieldsRetyped?: number;
  readonly fieldsDropped?: number;
  readonly reprojections?: number;
  readonly warnings?: number;
}

export interface ConversionReport {
  /** Absent: the input was uploaded. */
  readonly fetched?: FetchReport;
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
  };
  readonly features: {
    readonly read: number;
    /** Of an append: those read that are not of the target. */
    readonly appended?: number;
    readonly written: number;
    readonly dropped: number;
    readonly repaired: number;
    readonly split: number;
  };
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
  readonly timings: { readonly totalMs: number };
  /** Absent: every list is whole. */
  readonly totals?: ReportTotals;
}

/** What is kept of an inspection: what it found is its output. */
export interface InspectionReport {
  readonly fetched?: FetchReport;
  readonly warnings: readonly Finding[];
  readonly timings: { readonly totalMs: number };
  /** Absent: every list is whole. */
  readonly totals?: ReportTotals;
}

export type JobReport = ConversionReport | InspectionReport;

/** Keys as the API writes them. For reports and their parts: all their keys are ours, so none of the user's is changed. */
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

export interface Progress {
  /** 0 to 1, never falling. */
  readonly fraction: number;
  readonly stage: 'opening' | 'scanning' | 'collecting' | 'converting' | 'finishing';
}
