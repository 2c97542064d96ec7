/** Series of sines by which latitudes of one kind are converted to those of another. */

export type Series = readonly [number, number, number, number, number, number];

/** The sum of series[k - 1] * sin(k * a) by Clenshaw's recurrence, from the sine and twice the cosine of a. */
export function sineSeries(series: Series, sin: number, twiceCos: number): number {
  let last = 0;
  let sum = series[5];
  for (let k = 4; k >= 0; k--) {
    const next = series[k] + twiceCos * sum - last;
    last = sum;
    sum = next;
  }
  return sin * sum;
}

/** n to the power of `power`, times the polynomial with these coefficients. */
export function term(n: number, power: number, ...coefficients: readonly number[]): number {
  return n ** power * coefficients.reduceRight((sum, coefficient) => sum * n + coefficient, 0);
}
