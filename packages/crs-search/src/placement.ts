/**
 * Where coordinates of a CRS are on the Earth, computed without PROJ from a polynomial: for each system, x and y as sums of
 * Chebyshev polynomials of longitude and latitude over its area of use. `scripts/crs-placements.ts` fits them to PROJ. The error is
 * below 0.1 % of the area of use or 1 km; datum shifts to EPSG:4326 (up to 1 km) are left out. For boxes on a map, never
 * for the coordinates of an output.
 */

/** Degrees from Greenwich; east > 180 if the box crosses the antimeridian. */
export interface DegreeBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** minX, minY, maxX, maxY in coordinates of a system; x is east. */
export type Extent = readonly [minX: number, minY: number, maxX: number, maxY: number];

/** Terms of a sum: coefficient of T_i(u) T_j(v), with u and v from -1 to 1 over the area. */
export interface Polynomial {
  /** More than all of `i` and `j`; at least 2. */
  readonly size: number;
  readonly i: Uint8Array;
  readonly j: Uint8Array;
  readonly coefficients: Float64Array;
}

export interface Placement {
  /** EPSG code. */
  readonly code: number;
  readonly isDeprecated: boolean;
  readonly isGeographic: boolean;
  readonly area: DegreeBox;
  /** Of the area of use. */
  readonly bounds: Extent;
  readonly x: Polynomial;
  readonly y: Polynomial;
}

/** Degrees of the polynomials are below it. */
export const MAX_TERMS = 48;

const valuesU = new Float64Array(MAX_TERMS);
const valuesV = new Float64Array(MAX_TERMS);
const slopesU = new Float64Array(MAX_TERMS);
const slopesV = new Float64Array(MAX_TERMS);

/** T_k and their derivatives at t. */
function chebyshev(t: number, values: Float64Array, slopes: Float64Array, size: number): void {
  values[0] = 1;
  slopes[0] = 0;
  values[1] = t;
  slopes[1] = 1;
  for (let k = 2; k < size; k++) {
    values[k] = 2 * t * values[k - 1] - values[k - 2];
    slopes[k] = 2 * values[k - 1] + 2 * t * slopes[k - 1] - slopes[k - 2];
  }
}

/** Value and derivatives by u and v, of the last position. */
const at = { value: 0, byU: 0, byV: 0 };

function evaluate({ i, j, coefficients }: Polynomial): void {
  let value = 0;
  let byU = 0;
  let byV = 0;
  for (let term = 0; term < coefficients.length; term++) {
    const a = i[term];
    const b = j[term];
    const c = coefficients[term];
    value += c * valuesU[a] * valuesV[b];
    byU += c * slopesU[a] * valuesV[b];
    byV += c * valuesU[a] * slopesV[b];
  }
  at.value = value;
  at.byU = byU;
  at.byV = byV;
}

/** Coordinates in the system of a position in degrees, whose longitude is within 360 of the area's east. */
export function forward({ area, x, y }: Placement, longitude: number, latitude: number): [number, number] {
  const size = Math.max(x.size, y.size);
  chebyshev((2 * longitude - area.west - area.east) / (area.east - area.west), valuesU, slopesU, size);
  chebyshev((2 * latitude - area.south - area.north) / (area.north - area.south), valuesV, slopesV, size);
  evaluate(x);
  const first = at.value;
  evaluate(y);
  return [first, at.value];
}

/** Areas of use are rough boxes: positions up to this part of the area outside of it are in it. */
const OUTSIDE = 1.02;
const MAX_STEPS = 12;
/** Part of half the area at which the search for a position ends. */
const CLOSE = 1e-6;
/** Positions along each side of wide areas that are tried as a start. */
const STARTS = 12;
/** Degrees. In wider areas meridians are so curved that the search can start too far away. */
const WIDE = 40;

/** Longitude and latitude of coordinates; null if they are outside the area of use. The longitude can be beyond 180. */
export function inverse(placement: Placement, x: number, y: number): [number, number] | null {
  const { area } = placement;
  const found = search(placement, x, y, 0, 0);
  if (found !== null || area.east - area.west < WIDE) return found;
  const starts = startsOf(placement);
  let nearest = Number.POSITIVE_INFINITY;
  let start = 0;
  for (let i = 0; i < starts.length; i += 2) {
    const distance = (starts[i] - x) ** 2 + (starts[i + 1] - y) ** 2;
    if (distance < nearest) {
      nearest = distance;
      start = i / 2;
    }
  }
  return search(placement, x, y, startShare(Math.floor(start / STARTS)), startShare(start % STARTS));
}

const startShare = (index: number): number => (2 * index + 1) / STARTS - 1;

const startsByPlacement = new WeakMap<Placement, Float64Array>();

/** x and y of a grid of positions, south to north and then west to east. */
function startsOf(placement: Placement): Float64Array {
  const known = startsByPlacement.get(placement);
  if (known !== undefined) return known;
  const { area } = placement;
  const starts = new Float64Array(2 * STARTS * STARTS);
  for (let i = 0; i < STARTS * STARTS; i++) {
    const longitude =
      (area.west + area.east + startShare(Math.floor(i / STARTS)) * (area.east - area.west)) / 2;
    const latitude = (area.south + area.north + startShare(i % STARTS) * (area.north - area.south)) / 2;
    starts.set(forward(placement, longitude, latitude), 2 * i);
  }
  startsByPlacement.set(placement, starts);
  return starts;
}

/** Newton's method. */
function search(
  placement: Placement,
  x: number,
  y: number,
  startU: number,
  startV: number,
): [number, number] | null {
  const size = Math.max(placement.x.size, placement.y.size);
  let u = startU;
  let v = startV;
  for (let step = 0; step < MAX_STEPS; step++) {
    chebyshev(u, valuesU, slopesU, size);
    chebyshev(v, valuesV, slopesV, size);
    evaluate(placement.x);
    const dx = x - at.value;
    const xByU = at.byU;
    const xByV = at.byV;
    evaluate(placement.y);
    const dy = y - at.value;
    const yByU = at.byU;
    const yByV = at.byV;
    const determinant = xByU * yByV - xByV * yByU;
    const du = (dx * yByV - dy * xByV) / determinant;
    const dv = (dy * xByU - dx * yByU) / determinant;
    // Also for NaN, where the determinant is 0.
    if (!(Math.abs(du) < 10 && Math.abs(dv) < 10)) return null;
    // Beyond the area the polynomials grow without bounds.
    u = Math.max(-1.1, Math.min(1.1, u + du));
    v = Math.max(-1.1, Math.min(1.1, v + dv));
    if (Math.abs(du) < CLOSE && Math.abs(dv) < CLOSE) {
      if (Math.abs(u) > OUTSIDE || Math.abs(v) > OUTSIDE) return null;
      const { west, south, east, north } = placement.area;
      return [(west + east + u * (east - west)) / 2, (south + north + v * (north - south)) / 2];
    }
  }
  return null;
}

/** One line: code, flags, area, bounds, unit of the coefficients, then "index:count" of the terms of x, "|", those of y. */
export function lineOf(placement: Placement, unit: number): string {
  const { code, isDeprecated, isGeographic, area, bounds, x, y } = placement;
  const flags = (isDeprecated ? 1 : 0) + (isGeographic ? 2 : 0);
  const terms = ({ i, j, coefficients }: Polynomial): string[] =>
    Array.from(coefficients, (value, term) => `${i[term] * MAX_TERMS + j[term]}:${Math.round(value / unit)}`);
  const numbers = [code, flags, area.west, area.south, area.east, area.north, ...bounds, unit];
  return [...numbers, ...terms(x), '|', ...terms(y)].join(' ');
}

export function parseLine(line: string): Placement {
  const words = line.split(' ');
  const [code, flags, west, south, east, north, minX, minY, maxX, maxY, unit] = words
    .slice(0, 11)
    .map(Number);
  const middle = words.indexOf('|');
  return {
    code,
    isDeprecated: (flags & 1) !== 0,
    isGeographic: (flags & 2) !== 0,
    area: { west, south, east, north },
    bounds: [minX, minY, maxX, maxY],
    x: polynomialOf(words.slice(11, middle), unit),
    y: polynomialOf(words.slice(middle + 1), unit),
  };
}

export function polynomial(i: Uint8Array, j: Uint8Array, coefficients: Float64Array): Polynomial {
  let size = 2;
  for (const index of i) size = Math.max(size, index + 1);
  for (const index of j) size = Math.max(size, index + 1);
  return { size, i, j, coefficients };
}

function polynomialOf(terms: readonly string[], unit: number): Polynomial {
  const [i, j] = [new Uint8Array(terms.length), new Uint8Array(terms.length)];
  const coefficients = new Float64Array(terms.length);
  terms.forEach((text, term) => {
    const colon = text.indexOf(':');
    const index = Number(text.slice(0, colon));
    const count = Number(text.slice(colon + 1));
    i[term] = Math.floor(index / MAX_TERMS);
    j[term] = index % MAX_TERMS;
    coefficients[term] = count * unit;
  });
  return polynomial(i, j, coefficients);
}
