/** Every transformation geomill knows. Adding one is its file and one line here. */
import { buffer } from './buffer.ts';
import { reproject } from './reproject.ts';
import type { Transformation } from './transformation.ts';

export const transformations: readonly Transformation[] = [buffer, reproject];
