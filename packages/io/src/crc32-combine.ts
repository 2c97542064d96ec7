/**
 * Computes the CRC-32 of two byte ranges from the CRC of each, without the bytes: multiplication modulo the CRC
 * polynomial.
 */
const POLYNOMIAL = 0xedb88320;

/** Product of two polynomials over GF(2), bits reversed as in CRC-32, modulo its polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/** CRC of `first` followed by `second`, given the CRC of each and the length of the second. */
export function combineCrc32(first: number, second: number, secondByteLength: number): number {
  // x^(8 * length) by repeated squaring; 0x80000000 is 1, 0x00800000 is x^8.
  let power = 0x80000000;
  let square = 0x00800000;
  for (let rest = secondByteLength; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return (multiply(power, first) ^ second) >>> 0;
}
