/** The version, which the build writes here. */
declare const GEOMILL_VERSION: string;

export function packageVersion(): string {
  return typeof GEOMILL_VERSION === 'string' ? GEOMILL_VERSION : '0.0.0';
}
