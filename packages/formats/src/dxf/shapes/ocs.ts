/**
 * Object coordinate systems (OCS): planar entities are stored in the plane of their extrusion direction, whose x axis
 * follows from the direction by AutoCAD's "arbitrary axis algorithm" (DXF reference, appendix "Object Coordinate
 * Systems"). Mirrored arcs and texts of real plans have the direction (0, 0, -1).
 */
import { type AffineMap, EntityError, type EntityTags } from '../contract.ts';

/** If both x and y of the direction are below this, the x axis is computed from world Y, else from world Z. */
const NEAR_Z = 1 / 64;
/** A direction that differs from z by less is z with rounding errors of the writer, which would add false heights. */
const ROUNDING = 1e-14;

/** The map from the OCS with this extrusion direction to the world; null if they are the same. */
export function ocsMap(x: number, y: number, z: number): AffineMap | null {
  const length = Math.hypot(x, y, z);
  // Some writers use a zero vector for "none".
  if (length === 0) return null;
  if (!Number.isFinite(length)) throw new EntityError('the extrusion direction is not a number');
  let nx = x / length;
  let ny = y / length;
  let nz = z / length;
  if (Math.abs(nx) < ROUNDING && Math.abs(ny) < ROUNDING) {
    if (nz > 0) return null;
    nx = 0;
    ny = 0;
    nz = -1;
  }
  const isNearZ = Math.abs(nx) < NEAR_Z && Math.abs(ny) < NEAR_Z;
  // World Y x N, or world Z x N.
  let ax = isNearZ ? nz : -ny;
  let ay = isNearZ ? 0 : nx;
  let az = isNearZ ? -nx : 0;
  const axis = Math.hypot(ax, ay, az);
  ax /= axis;
  ay /= axis;
  az /= axis;
  // + 0 avoids negative zeros.
  const bx = ny * az - nz * ay + 0;
  const by = nz * ax - nx * az + 0;
  const bz = nx * ay - ny * ax + 0;
  return Float64Array.of(ax + 0, bx, nx, 0, ay + 0, by, ny, 0, az + 0, bz, nz, 0);
}

/** The OCS of an entity from its codes 210, 220 and 230 before tag `end`; null if it is the world's. */
export function readOcs(tags: EntityTags, end: number): AffineMap | null {
  const at = tags.find(210);
  if (at < 0 || at >= end) return null;
  let y = 0;
  let z = 0;
  for (let i = at + 1; i < end && i <= at + 2; i++) {
    if (tags.codes[i] === 220) y = tags.real(i);
    else if (tags.codes[i] === 230) z = tags.real(i);
  }
  return ocsMap(tags.real(at), y, z);
}
