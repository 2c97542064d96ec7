import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';

/**
 * Limits on the unpacked size of an input and on the growth of its geometries.
 */
export interface InputLimits {
  /** Total unpacked size of the entries of all zips of an input. */
  readonly unzippedBytes: number;
  /** Ratio of the unpacked to the packed size of any entry. */
  readonly unzipRatio: number;
  readonly zipEntries: number;
  readonly features: number;
  readonly coordinatesPerFeature: number;
  /** Attribute fields of a layer. */
  readonly fields: number;
  /** Positions that a step may produce for each input position; see pipeline/growth.ts. */
  readonly outputFactor: number;
}

/** Of the service, the command and the library, unless a setting or an option states another. */
export const DEFAULT_LIMITS: InputLimits = {
  unzippedBytes: 20 * 2 ** 30,
  unzipRatio: 200,
  zipEntries: 1000,
  features: 100_000_000,
  coordinatesPerFeature: 50_000_000,
  fields: 4000,
  outputFactor: 500,
};

/** For data that we wrote ourselves. */
export const UNLIMITED: InputLimits = {
  unzippedBytes: Number.POSITIVE_INFINITY,
  unzipRatio: Number.POSITIVE_INFINITY,
  zipEntries: Number.POSITIVE_INFINITY,
  features: Number.POSITIVE_INFINITY,
  coordinatesPerFeature: Number.POSITIVE_INFINITY,
  fields: Number.POSITIVE_INFINITY,
  outputFactor: Number.POSITIVE_INFINITY,
};

/** Throws LIMIT_EXCEEDED if a layer has too many fields. */
export function checkFieldCount(layer: string, count: number, { fields }: Pick<InputLimits, 'fields'>): void {
  if (count > fields) throw tooManyFields(layer, count, fields);
}

/** `actual`: the number of fields, if known. */
export function tooManyFields(layer: string, actual: number | string, limit: number): GeomillError {
  const what = `the number of fields of layer '${layer}'`;
  return failure(generalErrors.LIMIT_EXCEEDED, { what, actual, limit, setting: 'MAX_FIELDS' }, { layer });
}
