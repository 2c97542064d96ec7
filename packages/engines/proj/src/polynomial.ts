/**
 * Polynomials of total degree 6 in u and v on the square from -1 to 1, two of them at once: one for each ordinate of a result.
 * They are fitted at 7 x 7 Chebyshev nodes, and the fit is checked there and on a grid of 5 x 5 points, which has the corners, the
 * edges and the positions where the first omitted terms are largest.
 */

export const DEGREE = 6;
const NODES = DEGREE + 1;
const NODE_COUNT = NODES * NODES;
const CHECKS = [-1, -0.5, 0, 0.5, 1];
export const TERMS = (NODES * (NODES + 1)) / 2;

export const FIT_POINTS = NODE_COUNT + CHECKS.length ** 2;

const nodes = Array.from({ length: NODES }, (_, k) => Math.cos((Math.PI * (2 * k + 1)) / (2 * NODES)));

let points: Float64Array | null = null;

/** u and v of the FIT_POINTS points whose values `fitted` takes: the nodes first, then the points that only check the fit. */
export function fitPoints(): Float64Array {
  points ??= Float64Array.from([
    ...nodes.flatMap((v) => nodes.flatMap((u) => [u, v])),
    ...CHECKS.flatMap((v) => CHECKS.flatMap((u) => [u, v])),
  ]);
  return points;
}

/** TERMS rows: the weight of the value at each node in each coefficient. Null until the first fit, as most conversions need none. */
let weights: Float64Array | null = null;

/**
 * Coefficients for `evaluate` from the values at `fitPoints`; both are interleaved, as x, y. Rows of ascending powers of v, each with
 * ascending powers of u.
 */
export function fitted(values: Float64Array): Float64Array {
  weights ??= fitWeights();
  const coefficients = new Float64Array(2 * TERMS);
  for (let i = 0; i < coefficients.length; i++)
    coefficients[i] = weighted(weights, (i >> 1) * NODE_COUNT, values, i & 1);
  coefficients[0] += values[0];
  coefficients[1] += values[1];
  return coefficients;
}

/** A coefficient of x (`ordinate` 0) or y (1): a function of its own, as V8 would leave optimised code at each end of the loop. */
function weighted(weights: Float64Array, first: number, values: Float64Array, ordinate: number): number {
  // Differences from one value are small, so sums of them lose no digits.
  const origin = values[ordinate];
  let sum = 0;
  for (let node = 0; node < NODE_COUNT; node++)
    sum += weights[first + node] * (values[2 * node + ordinate] - origin);
  return sum;
}

/** The values of x (`k` 0) or y (1) at u and v, of coefficients from index `k` of `values` on. polynomial-code.ts has the same operations. */
export function evaluate(values: Float64Array, k: number, u: number, v: number): number {
  let sum = 0;
  let end = k + 2 * TERMS;
  for (let length = 1; length <= NODES; length++) {
    const first = end - 2 * length;
    let row = values[end - 2];
    for (let at = end - 4; at >= first; at -= 2) row = values[at] + u * row;
    sum = length === 1 ? row : row + v * sum;
    end = first;
  }
  return sum;
}

/** The discrete Chebyshev transform without the terms above DEGREE, followed by the change to powers. */
function fitWeights(): Float64Array {
  const powers = chebyshevPowers();
  const values = nodes.map((node) => Array.from({ length: NODES }, (_, i) => normalized(i, node)));
  const matrix = new Float64Array(TERMS * NODE_COUNT);
  let at = 0;
  for (let ofV = 0; ofV <= DEGREE; ofV++)
    for (let ofU = 0; ofU <= DEGREE - ofV; ofU++)
      for (let node = 0; node < NODE_COUNT; node++)
        matrix[at++] = fitWeight(powers, ofU, ofV, values[node % NODES], values[Math.floor(node / NODES)]);
  return matrix;
}

/** A function of its own, as `weighted`. */
function fitWeight(
  powers: readonly number[][],
  ofU: number,
  ofV: number,
  ofNodeU: readonly number[],
  ofNodeV: readonly number[],
): number {
  let weight = 0;
  // The other Chebyshev polynomials do not have the powers.
  for (let j = ofV; j <= DEGREE; j += 2)
    for (let i = ofU; i <= DEGREE - j; i += 2)
      weight += ofNodeU[i] * ofNodeV[j] * powers[i][ofU] * powers[j][ofV];
  return weight;
}

/** The Chebyshev polynomial T_i at a node, times its factor in the discrete transform. */
function normalized(i: number, node: number): number {
  return ((i === 0 ? 1 : 2) / NODES) * Math.cos(i * Math.acos(node));
}

/** Coefficients of the powers in T_0 to T_DEGREE. */
function chebyshevPowers(): number[][] {
  const powers = [
    [1, 0, 0, 0, 0, 0, 0],
    [0, 1, 0, 0, 0, 0, 0],
  ];
  for (let i = 2; i <= DEGREE; i++)
    powers.push(powers[i - 2].map((last, power) => (power === 0 ? 0 : 2 * powers[i - 1][power - 1]) - last));
  return powers;
}
