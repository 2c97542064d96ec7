import { failure, type GeomillError } from '../errors.ts';

/** Limits on what an input may unfold to and what steps may make of it. The defaults are those of the settings. */
export interface InputLimits {
  /** Sum of the unpacked sizes of the entries of all zips of an input. */
  readonly unzippedBytes: number;
  /** Unpacked to packed size of any one entry. */
  readonly unzipRatio: number;
  readonly zipEntries: number;
  readonly features: number;
  readonly coordinatesPerFeature: number;
  /** Attribute fields of a layer. */
  readonly fields: number;
  /** Positions that a step may make of each position it gets; see pipeline/growth.ts. */
  readonly outputFactor: number;
}

/** For data of our own. */
export const UNLIMITED: InputLimits = {
  unzippedBytes: Number.POSITIVE_INFINITY,
  unzipRatio: Number.POSITIVE_INFINITY,
  zipEntries: Number.POSITIVE_INFINITY,
  features: Number.POSITIVE_INFINITY,
  coordinatesPerFeature: Number.POSITIVE_INFINITY,
  fields: Number.POSITIVE_INFINITY,
  outputFactor: Number.POSITIVE_INFINITY,
};

/** Throws LIMIT_EXCEEDED for a layer with more fields than it may have. */
export function checkFieldCount(layer: string, count: number, { fields }: Pick<InputLimits, 'fields'>): void {
  if (count > fields) throw tooManyFields(layer, count, fields);
}

/** `actual`: how many there are, where that is known. */
export function tooManyFields(layer: string, actual: number | string, limit: number): GeomillError {
  const what = `the number of fields of layer '${layer}'`;
  return failure('LIMIT_EXCEEDED', { what, actual, limit, setting: 'MAX_FIELDS' }, { layer });
}
