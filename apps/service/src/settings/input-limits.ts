/** The limits on inputs as the settings state them: the same for the service and for every command. */
import type { InputLimits } from '@geomill/io/limits.ts';
import type { Config } from './config.ts';

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
