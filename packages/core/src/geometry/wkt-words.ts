/** The words of well-known text: geometry names and the letters after them. */
import { CURVE_TYPE } from './curve.ts';
import { GEOMETRY_TYPE } from './geometry-column.ts';
import { GEOMETRY_NOTE } from './geometry-notes.ts';

export interface Word {
  readonly lower: Uint8Array;
  /** A GEOMETRY_TYPE or CURVE_TYPE. */
  readonly type: number;
  readonly notes: number;
}

const word = (text: string, type: number, notes = 0): Word => ({
  lower: new TextEncoder().encode(text.toLowerCase()),
  type,
  notes,
});

const WORDS: readonly Word[] = [
  word('Point', GEOMETRY_TYPE.point),
  word('LineString', GEOMETRY_TYPE.lineString),
  word('Polygon', GEOMETRY_TYPE.polygon),
  word('MultiPoint', GEOMETRY_TYPE.multiPoint),
  word('MultiLineString', GEOMETRY_TYPE.multiLineString),
  word('MultiPolygon', GEOMETRY_TYPE.multiPolygon),
  word('GeometryCollection', GEOMETRY_TYPE.geometryCollection),
  word('LinearRing', GEOMETRY_TYPE.lineString),
  word('Triangle', GEOMETRY_TYPE.polygon, GEOMETRY_NOTE.surface),
  word('PolyhedralSurface', GEOMETRY_TYPE.multiPolygon, GEOMETRY_NOTE.surface),
  word('Tin', GEOMETRY_TYPE.multiPolygon, GEOMETRY_NOTE.surface),
  word('CircularString', CURVE_TYPE.circularString),
  word('CompoundCurve', CURVE_TYPE.compoundCurve),
  word('CurvePolygon', CURVE_TYPE.curvePolygon),
  word('MultiCurve', CURVE_TYPE.multiCurve),
  word('MultiSurface', CURVE_TYPE.multiSurface),
];

/** Bits for the ordinates that the letters after a name declare. */
export const LETTER_Z = 1;
export const LETTER_M = 2;

/** The geometry name in `bytes[start, end)`, with or without letters at its end; null if it is not one. */
export function findWord(bytes: Uint8Array, start: number, end: number): Word | null {
  for (let i = 0; i < WORDS.length; i++) {
    const { lower } = WORDS[i];
    const rest = end - start - lower.length;
    if (rest < 0 || rest > 2 || !matches(bytes, start, lower)) continue;
    if (lettersOf(bytes, end - rest, end) >= 0) return WORDS[i];
  }
  return null;
}

export function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether the lower case ASCII text `lower` is at `at`, ignoring case; `bytes` must be long enough. */
export function matches(bytes: Uint8Array, at: number, lower: Uint8Array): boolean {
  for (let i = 0; i < lower.length; i++) if ((bytes[at + i] | 0x20) !== lower[i]) return false;
  return true;
}

/** Bits for "", "Z", "M" and "ZM" in any case; -1 for anything else. */
export function lettersOf(bytes: Uint8Array, start: number, end: number): number {
  if (end === start) return 0;
  const first = bytes[start] | 0x20;
  if (end - start === 1) return first === 0x7a ? LETTER_Z : first === 0x6d ? LETTER_M : -1;
  return end - start === 2 && first === 0x7a && (bytes[start + 1] | 0x20) === 0x6d ? LETTER_Z | LETTER_M : -1;
}
