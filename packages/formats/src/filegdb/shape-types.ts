/** The types of geometries in rows: kind, Z and M. */

export type Kind = 'point' | 'multipoint' | 'line' | 'polygon' | 'multipatch';
export type Shape = readonly [kind: Kind, z: boolean, m: boolean];

/** By the low byte of the type. */
export const SHAPES: Readonly<Record<number, Shape>> = {
  1: ['point', false, false],
  9: ['point', true, false],
  11: ['point', true, true],
  21: ['point', false, true],
  8: ['multipoint', false, false],
  20: ['multipoint', true, false],
  18: ['multipoint', true, true],
  28: ['multipoint', false, true],
  3: ['line', false, false],
  10: ['line', true, false],
  13: ['line', true, true],
  23: ['line', false, true],
  5: ['polygon', false, false],
  19: ['polygon', true, false],
  15: ['polygon', true, true],
  25: ['polygon', false, true],
  32: ['multipatch', true, false],
  31: ['multipatch', true, true],
};
/** The same for types whose high bits say whether they have Z and M. */
export const GENERAL_SHAPES: Readonly<Record<number, Kind>> = {
  50: 'line',
  51: 'polygon',
  52: 'point',
  53: 'multipoint',
  54: 'multipatch',
};
export const HAS_Z = 2 ** 31;
export const HAS_M = 2 ** 30;
export const HAS_CURVES = 2 ** 29;

export const hasBit = (type: number, bit: number): boolean => Math.floor(type / bit) % 2 === 1;
