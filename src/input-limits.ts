/** The limits on inputs as the settings state them: the same for the service and for every command. */
import type { Config } from './config.ts';
import type { InputLimits } from './io/limits.ts';

export type LimitSettings = Pick<
  Config,
  | 'maxUnzippedBytes'
  | 'maxUnzipRatio'
  | 'maxZipEntries'
  | 'maxFeatures'
  | 'maxCoordinatesPerFeature'
  | 'maxFields'
  | 'maxOutputFactor'
>;

export function inputLimits(settings: LimitSettings): InputLimits {
  return {
    unzippedBytes: settings.maxUnzippedBytes,
    unzipRatio: settings.maxUnzipRatio,
    zipEntries: settings.maxZipEntries,
    features: settings.maxFeatures,
    coordinatesPerFeature: settings.maxCoordinatesPerFeature,
    fields: settings.maxFields,
    outputFactor: settings.maxOutputFactor,
  };
}
