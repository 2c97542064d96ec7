/** Systems whose coordinates are longitudes and latitudes in degrees. */
import type { CrsDescription } from './crs.ts';

const DEGREE = Math.PI / 180;

export function isInDegrees({ kind, unitFactor }: Pick<CrsDescription, 'kind' | 'unitFactor'>): boolean {
  return kind === 'geographic' && Math.abs(unitFactor / DEGREE - 1) < 1e-9;
}
