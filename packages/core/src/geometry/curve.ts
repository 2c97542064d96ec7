/** Codes and rules of ISO SQL/MM curves (ISO 13249-3; OGC 06-103r4) that well-known text and binary share. */
import { GEOMETRY_TYPE_NAMES, type GeometryBuilder } from './geometry-column.ts';

/** Type codes beyond GEOMETRY_TYPE, in well-known binary and inside the readers; never in a GeometryColumn. */
export const CURVE_TYPE = {
  circularString: 8,
  compoundCurve: 9,
  curvePolygon: 10,
  multiCurve: 11,
  multiSurface: 12,
} as const;

/** By type code, including curves: the GEOMETRY_TYPE that a geometry is converted to. */
export const LINEAR_TYPES = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 2, 2, 3, 5, 6);

const bits = (...types: number[]): number => types.reduce((sum, type) => sum | (1 << type), 0);
/** By type code of a geometry whose members or rings are geometries: a bit for each allowed member type. */
const MEMBER_TYPES = Uint16Array.of(
  ...[0, 0, 0, 0, bits(1), bits(2), bits(3), 0, 0],
  ...[bits(2, 8), bits(2, 8, 9), bits(2, 8, 9), bits(3, 10)],
);
const TYPE_NAMES = [
  ...GEOMETRY_TYPE_NAMES,
  'CircularString',
  'CompoundCurve',
  'CurvePolygon',
  'MultiCurve',
  'MultiSurface',
];

export function isMemberType(parent: number, type: number): boolean {
  return ((MEMBER_TYPES[parent] >> type) & 1) !== 0;
}

/** The reason for rejecting a member of this type. */
export function memberReason(parent: number, type: number): string {
  const names = TYPE_NAMES.filter((_, member) => isMemberType(parent, member));
  return `a member of a ${TYPE_NAMES[parent]} is a ${TYPE_NAMES[type]}; it can be ${names.join(', ')}`;
}

/** Each arc starts at the end of the previous one: 3, 5, 7, ... positions, or 0. */
export function isArcPositionCount(count: number): boolean {
  return count === 0 || (count >= 3 && count % 2 === 1);
}

/**
 * Joins the member of a compound curve that begins at `memberPosition` to the previous member: the shared position is
 * kept once. Returns true if there is a gap; then both positions are kept and a straight line connects them.
 */
export function joinMember(builder: GeometryBuilder, memberPosition: number): boolean {
  const { stride, coordinates } = builder;
  const start = memberPosition * stride;
  const hasGap =
    coordinates[start] !== coordinates[start - stride] ||
    coordinates[start + 1] !== coordinates[start - stride + 1];
  if (hasGap) return true;
  // Positions that differ in Z or M only are different positions: none is dropped.
  for (let i = 2; i < stride; i++) {
    const ours = coordinates[start + i];
    const before = coordinates[start - stride + i];
    if (ours !== before && !(Number.isNaN(ours) && Number.isNaN(before))) return false;
  }
  coordinates.copyWithin(start, start + stride, builder.coordinateLength);
  builder.coordinateLength -= stride;
  return false;
}
