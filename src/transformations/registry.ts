/** All transformations of geomill. A new one needs its file and one line here. */

import { affine } from './affine.ts';
import { buffer } from './buffer.ts';
import { calculate } from './calculate.ts';
import { cast } from './cast.ts';
import { centroid } from './centroid.ts';
import { check } from './check.ts';
import { clip } from './clip.ts';
import { convexHull } from './convex_hull.ts';
import { dimensions } from './dimensions.ts';
import { dissolve } from './dissolve.ts';
import { distinct } from './distinct.ts';
import { drop } from './drop.ts';
import { envelope } from './envelope.ts';
import { erase } from './erase.ts';
import { explode } from './explode.ts';
import { filter } from './filter.ts';
import { grid } from './grid.ts';
import { join } from './join.ts';
import { limit } from './limit.ts';
import { linesToPolygons } from './lines_to_polygons.ts';
import { makeValid } from './make_valid.ts';
import { overlay } from './overlay.ts';
import { withLayers } from './parts/step-layers.ts';
import { pointOnSurface } from './point_on_surface.ts';
import { pointsToLine } from './points_to_line.ts';
import { polygonsToLines } from './polygons_to_lines.ts';
import { promote } from './promote.ts';
import { rename } from './rename.ts';
import { reproject } from './reproject.ts';
import { sample } from './sample.ts';
import { segmentize } from './segmentize.ts';
import { select } from './select.ts';
import { simplify } from './simplify.ts';
import { simplifyCoverage } from './simplify_coverage.ts';
import { snap } from './snap.ts';
import { sort } from './sort.ts';
import { spatialJoin } from './spatial_join.ts';
import { swapXy } from './swap_xy.ts';
import type { Transformation } from './transformation.ts';
import { union } from './union.ts';
import { vertices } from './vertices.ts';

const all: readonly Transformation[] = [
  affine,
  buffer,
  calculate,
  cast,
  centroid,
  check,
  clip,
  convexHull,
  dimensions,
  dissolve,
  distinct,
  drop,
  envelope,
  erase,
  explode,
  filter,
  join,
  grid,
  limit,
  linesToPolygons,
  makeValid,
  overlay,
  pointOnSurface,
  pointsToLine,
  polygonsToLines,
  promote,
  rename,
  reproject,
  sample,
  segmentize,
  select,
  simplify,
  simplifyCoverage,
  snap,
  sort,
  spatialJoin,
  swapXy,
  union,
  vertices,
];

export const transformations: readonly Transformation[] = all.map(withLayers);
