/**
 * Polynomials of total degree 6 in u and v on the square from -1 to 1, two of them at once: one for each ordinate of a result.
 * They are fitted at 7 x 7 Chebyshev nodes, and the fit is checked there and on a grid of 5 x 5 points, which has the corners, the
 * edges and the positions where the first omitted terms are largest.
 */

const DEGREE = 6;
const NODES = DEGREE + 1;
const NODE_COUNT = NODES * NODES;
const CHECKS = [-1, -0.5, 0, 0.5, 1];
const TERMS = (NODES * (NODES + 1)) / 2;

const nodes = Array.from({ length: NODES }, (_, k) => Math.cos((Math.PI * (2 * k + 1)) / (2 * NODES)));

/** u and v of the points whose values `fitted` takes: the nodes first, then the points that only check the fit. */
export const FIT_POINTS: Float64Array = Float64Array.from([
  ...nodes.flatMap((v) => nodes.flatMap((u) => [u, v])),
  ...CHECKS.flatMap((v) => CHECKS.flatMap((u) => [u, v])),
]);

/** TERMS rows: the weight of the value at each node in each coefficient. Null until the first fit, as most conversions need none. */
let weights: Float64Array | null = null;

/**
 * Coefficients for `evaluate` from the values at FIT_POINTS, interleaved as x, y: first all of x, then all of y. Rows of ascending
 * powers of v, each with ascending powers of u.
 */
export function fitted(values: Float64Array): Float64Array {
  weights ??= fitWeights();
  const coefficients = new Float64Array(2 * TERMS);
  // Differences from one value are small, so sums of them lose no digits.
  const [originX, originY] = values;
  for (let term = 0; term < TERMS; term++) {
    let x = 0;
    let y = 0;
    for (let node = 0; node < NODE_COUNT; node++) {
      const weight = weights[term * NODE_COUNT + node];
      x += weight * (values[2 * node] - originX);
      y += weight * (values[2 * node + 1] - originY);
    }
    coefficients[term] = x;
    coefficients[TERMS + term] = y;
  }
  coefficients[0] += originX;
  coefficients[TERMS] += originY;
  return coefficients;
}

/** Writes both values at a point, u and v from index `point` of `points` on, to `into` at index `at`. As arguments, V8 would allocate u and v. */
export function evaluate(
  k: Float64Array,
  points: Float64Array,
  point: number,
  into: Float64Array,
  at: number,
): void {
  const u = points[point];
  const v = points[point + 1];
  into[at] =
    k[0] +
    u * (k[1] + u * (k[2] + u * (k[3] + u * (k[4] + u * (k[5] + u * k[6]))))) +
    v *
      (k[7] +
        u * (k[8] + u * (k[9] + u * (k[10] + u * (k[11] + u * k[12])))) +
        v *
          (k[13] +
            u * (k[14] + u * (k[15] + u * (k[16] + u * k[17]))) +
            v *
              (k[18] +
                u * (k[19] + u * (k[20] + u * k[21])) +
                v * (k[22] + u * (k[23] + u * k[24]) + v * (k[25] + u * k[26] + v * k[27])))));
  into[at + 1] =
    k[28] +
    u * (k[29] + u * (k[30] + u * (k[31] + u * (k[32] + u * (k[33] + u * k[34]))))) +
    v *
      (k[35] +
        u * (k[36] + u * (k[37] + u * (k[38] + u * (k[39] + u * k[40])))) +
        v *
          (k[41] +
            u * (k[42] + u * (k[43] + u * (k[44] + u * k[45]))) +
            v *
              (k[46] +
                u * (k[47] + u * (k[48] + u * k[49])) +
                v * (k[50] + u * (k[51] + u * k[52]) + v * (k[53] + u * k[54] + v * k[55])))));
}

/** The discrete Chebyshev transform without the terms above DEGREE, followed by the change to powers. */
function fitWeights(): Float64Array {
  const powers = chebyshevPowers();
  const values = nodes.map((node) => Array.from({ length: NODES }, (_, i) => normalized(i, node)));
  const matrix = new Float64Array(TERMS * NODE_COUNT);
  let term = 0;
  for (let ofV = 0; ofV <= DEGREE; ofV++)
    for (let ofU = 0; ofU <= DEGREE - ofV; ofU++, term++)
      for (let node = 0; node < NODE_COUNT; node++) {
        const ofNodeU = values[node % NODES];
        const ofNodeV = values[Math.floor(node / NODES)];
        let weight = 0;
        for (let j = ofV; j <= DEGREE; j++)
          for (let i = ofU; i <= DEGREE - j; i++)
            weight += ofNodeU[i] * ofNodeV[j] * powers[i][ofU] * powers[j][ofV];
        matrix[term * NODE_COUNT + node] = weight;
      }
  return matrix;
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
