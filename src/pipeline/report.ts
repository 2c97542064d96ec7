/** What a conversion did, for the requester: nothing is lost in silence. */
import type { Finding } from '../findings.ts';

export interface LayerReport {
  readonly name: string;
  readonly features: number;
  /** Definition of the source CRS that was used, e.g. "EPSG:28350" or WKT. */
  readonly crs: string;
  readonly crsName: string;
  readonly encoding: string | null;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
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

export interface ConversionReport {
  readonly input: { readonly format: string; readonly name: string; readonly layers: readonly LayerReport[] };
  readonly output: {
    readonly format: string;
    readonly crs: string;
    readonly mediaType: string;
    readonly byteLength: number;
  };
  readonly features: {
    readonly read: number;
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
}

export interface Progress {
  /** 0 to 1, never falling. */
  readonly fraction: number;
  readonly stage: 'opening' | 'scanning' | 'collecting' | 'converting' | 'finishing';
}
