/**
 * The series of C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), doi 10.1007/s00190-012-0578-z,
 * in epsilon = (sqrt(1 + k^2) - 1) / (sqrt(1 + k^2) + 1) and the third flattening n. Equation numbers are the paper's.
 */

/** Sum of c[l] sin(2 l x) for l = 1 .. count, by Clenshaw's recurrence. */
export function sineSeries(c: Float64Array, count: number, sine: number, cosine: number): number {
  const factor = 2 * (cosine - sine) * (cosine + sine);
  let next = 0;
  let afterNext = 0;
  for (let l = count; l > 0; l--) {
    const own = c[l] + factor * next - afterNext;
    afterNext = next;
    next = own;
  }
  return 2 * sine * cosine * next;
}

/** Equation 17. */
export function scaleA1(epsilon: number): number {
  const e2 = epsilon * epsilon;
  return (1 + e2 * (1 / 4 + e2 * (1 / 64 + e2 / 256))) / (1 - epsilon);
}

/** Equation 18. */
export function fillC1(e: number, c: Float64Array): void {
  const e2 = e * e;
  const e3 = e2 * e;
  const e4 = e2 * e2;
  c[1] = e * (-1 / 2 + e2 * (3 / 16 - e2 / 32));
  c[2] = e2 * (-1 / 16 + e2 * (1 / 32 - (9 / 2048) * e2));
  c[3] = e3 * (-1 / 48 + (3 / 256) * e2);
  c[4] = e4 * (-5 / 512 + (3 / 512) * e2);
  c[5] = (-7 / 1280) * e4 * e;
  c[6] = (-7 / 2048) * e4 * e2;
}

/** Equation 21. */
export function fillC1p(e: number, c: Float64Array): void {
  const e2 = e * e;
  const e3 = e2 * e;
  const e4 = e2 * e2;
  c[1] = e * (1 / 2 + e2 * (-9 / 32 + (205 / 1536) * e2));
  c[2] = e2 * (5 / 16 + e2 * (-37 / 96 + (1335 / 4096) * e2));
  c[3] = e3 * (29 / 96 - (75 / 128) * e2);
  c[4] = e4 * (539 / 1536 - (2391 / 2560) * e2);
  c[5] = (3467 / 7680) * e4 * e;
  c[6] = (38081 / 61440) * e4 * e2;
}

/** Equation 24. */
export function scaleA3(e: number, n: number): number {
  return (
    1 -
    e *
      (1 / 2 -
        n / 2 +
        e *
          (1 / 4 +
            n * (1 / 8 - (3 / 8) * n) +
            e * (1 / 16 + n * (3 / 16 + n / 16) + e * (3 / 64 + n / 32 + (3 / 128) * e))))
  );
}

/** Equation 25. */
export function fillC3(e: number, n: number, c: Float64Array): void {
  const n2 = n * n;
  const e2 = e * e;
  const e3 = e2 * e;
  c[1] =
    e *
    (1 / 4 -
      n / 4 +
      e * (1 / 8 - n2 / 8 + e * (3 / 64 + (3 / 64) * n - n2 / 64 + e * (5 / 128 + n / 64 + (3 / 128) * e))));
  c[2] =
    e2 *
    (1 / 16 -
      (3 / 32) * n +
      n2 / 32 +
      e * (3 / 64 - n / 32 - (3 / 64) * n2 + e * (3 / 128 + n / 128 + (5 / 256) * e)));
  c[3] = e3 * (5 / 192 - (3 / 64) * n + (5 / 192) * n2 + e * (3 / 128 - (5 / 192) * n + (7 / 512) * e));
  c[4] = e2 * e2 * (7 / 512 - (7 / 256) * n + (7 / 512) * e);
  c[5] = (21 / 2560) * e2 * e3;
}
