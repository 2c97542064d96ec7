/** Limits on what an input may unfold to; the defaults stand in config.ts. */
export interface InputLimits {
  /** Sum of the unpacked sizes of a zip's entries. */
  readonly unzippedBytes: number;
  /** Unpacked to packed size of any one entry. */
  readonly unzipRatio: number;
  readonly zipEntries: number;
  readonly features: number;
  readonly coordinatesPerFeature: number;
}

export const DEFAULT_INPUT_LIMITS: InputLimits = {
  unzippedBytes: 20 * 1024 ** 3,
  unzipRatio: 200,
  zipEntries: 1000,
  features: 100_000_000,
  coordinatesPerFeature: 50_000_000,
};
