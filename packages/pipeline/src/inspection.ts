/** What an inspection found. */
import type { Field } from '@geomill/core/columns/schema.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { CrsSuggestion, GeomillError } from '@geomill/core/messages/errors.ts';
import type { Finding } from '@geomill/core/messages/findings.ts';
import type { FileText } from '@geomill/formats/reader.ts';
import type { ConversionReport } from './report.ts';
import type { ConversionRequest } from './request.ts';

/** How the CRS of a layer is known; assumed: its coordinates or their columns show it. */
export type CrsOrigin = 'file' | 'request' | 'assumed';

type KnownCrs = Pick<CrsDescription, 'name' | 'authority' | 'kind' | 'unitName'> & {
  readonly origin: CrsOrigin;
};

export interface LayerInspection {
  readonly name: string;
  readonly features: number;
  readonly geometryTypes: Readonly<Record<string, number>>;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  /** minX, minY, maxX, maxY in the layer's CRS; null without positions. */
  readonly extent: readonly number[] | null;
  readonly crs: KnownCrs | null;
  /** Systems that fit the coordinates, most likely first; empty if the CRS is known. */
  readonly crsSuggestions: readonly CrsSuggestion[];
  /** Unit of the coordinates that a file without CRS states; null: none. */
  readonly metresPerUnit: number | null;
  readonly encoding: string | null;
  readonly fields: readonly (Field & { readonly nonNull: number })[];
}

export interface Inspection {
  readonly format: string;
  readonly layers: readonly LayerInspection[];
  /** How the text of the file is read; null: it has none, or it has only one encoding. */
  readonly text: FileText | null;
  readonly warnings: readonly Finding[];
}

/** Result of a conversion to the requested output whose file is deleted. */
export type DryRun =
  | { readonly report: ConversionReport; readonly request: ConversionRequest }
  | { readonly format: string; readonly error: GeomillError };
