/** All transformations of geomill. A new one needs its file and one line here. */
import { affine } from './affine/record.ts';
import { buffer } from './buffer/record.ts';
import { calculate } from './calculate/record.ts';
import { cast } from './cast/record.ts';
import { centroid } from './centroid/record.ts';
import { check } from './check/record.ts';
import { clip } from './clip/record.ts';
import { convexHull } from './convex_hull/record.ts';
import { dimensions } from './dimensions/record.ts';
import { dissolve } from './dissolve/record.ts';
import { distinct } from './distinct/record.ts';
import { drop } from './drop/record.ts';
import { envelope } from './envelope/record.ts';
import { erase } from './erase/record.ts';
import { explode } from './explode/record.ts';
import { filter } from './filter/record.ts';
import { grid } from './grid/record.ts';
import { join } from './join/record.ts';
import { limit } from './limit/record.ts';
import { linesToPolygons } from './lines_to_polygons/record.ts';
import { makeValid } from './make_valid/record.ts';
import { overlay } from './overlay/record.ts';
import { withLayers } from './parts/step-layers.ts';
import { pointOnSurface } from './point_on_surface/record.ts';
import { pointsToLine } from './points_to_line/record.ts';
import { polygonsToLines } from './polygons_to_lines/record.ts';
import { promote } from './promote/record.ts';
import { rename } from './rename/record.ts';
import { reproject } from './reproject/record.ts';
import { sample } from './sample/record.ts';
import { segmentize } from './segmentize/record.ts';
import { select } from './select/record.ts';
import { simplify } from './simplify/record.ts';
import { simplifyCoverage } from './simplify_coverage/record.ts';
import { snap } from './snap/record.ts';
import { sort } from './sort/record.ts';
import { spatialJoin } from './spatial_join/record.ts';
import { swapXy } from './swap_xy/record.ts';
import type { Transformation } from './transformation.ts';
import { union } from './union/record.ts';
import { vertices } from './vertices/record.ts';

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
