/** All transformations of geomill. A new one needs its file and one line here. */
import { buffer } from './buffer.ts';
import { calculate } from './calculate.ts';
import { centroid } from './centroid.ts';
import { clip } from './clip.ts';
import { convexHull } from './convex_hull.ts';
import { dissolve } from './dissolve.ts';
import { envelope } from './envelope.ts';
import { erase } from './erase.ts';
import { explode } from './explode.ts';
import { filter } from './filter.ts';
import { makeValid } from './make_valid.ts';
import { pointOnSurface } from './point_on_surface.ts';
import { reproject } from './reproject.ts';
import { sample } from './sample.ts';
import { segmentize } from './segmentize.ts';
import { select } from './select.ts';
import { simplify } from './simplify.ts';
import { simplifyCoverage } from './simplify_coverage.ts';
import type { Transformation } from './transformation.ts';
import { union } from './union.ts';

export const transformations: readonly Transformation[] = [
  buffer,
  calculate,
  centroid,
  clip,
  convexHull,
  dissolve,
  envelope,
  erase,
  explode,
  filter,
  makeValid,
  pointOnSurface,
  reproject,
  sample,
  segmentize,
  select,
  simplify,
  simplifyCoverage,
  union,
];
