/** Every entity type with a geometry, and the function that draws it. Other types are skipped and reported. */
import type { ShapeFunction } from '../contract.ts';
import { face3d, solid } from './face.ts';
import { hatch } from './hatch.ts';
import { mesh } from './mesh.ts';
import { mline } from './mline.ts';
import { leader, multileader } from './multileader.ts';
import { lwPolyline, polyline } from './polyline.ts';
import { arc, circle, ellipse } from './round.ts';
import { image, line, point, shape } from './simple.ts';
import { spline } from './spline.ts';
import { mtext, text } from './text.ts';

export const SHAPES: ReadonlyMap<string, ShapeFunction> = new Map<string, ShapeFunction>([
  ['POINT', point],
  ['LINE', line],
  ['3DLINE', line],
  ['LWPOLYLINE', lwPolyline],
  ['POLYLINE', polyline],
  ['CIRCLE', circle],
  ['ARC', arc],
  ['ELLIPSE', ellipse],
  ['SPLINE', spline],
  ['HELIX', spline],
  ['HATCH', hatch],
  ['MPOLYGON', hatch],
  ['SOLID', solid],
  ['TRACE', solid],
  ['3DFACE', face3d],
  ['MESH', mesh],
  ['TEXT', text],
  ['ATTRIB', text],
  ['ATTDEF', text],
  ['MTEXT', mtext],
  ['MLINE', mline],
  ['LEADER', leader],
  ['MULTILEADER', multileader],
  ['MLEADER', multileader],
  ['SHAPE', shape],
  ['TOLERANCE', shape],
  ['IMAGE', image],
  ['WIPEOUT', image],
]);
