/** Integers in decimal notation, exactly. */

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Digits of the greatest double: what has more is beyond every number type, and is not worth a bigint. */
const MOST_DIGITS = 309;

/**
 * The integer that a decimal number is, "12", "12.0", "1.2e1"; null where it is none, or one beyond all doubles.
 * The text must be known to be a number.
 */
export function integerOfDecimal(text: string): bigint | null {
  const [, sign, whole, fraction = '', exponentText = '0'] = DECIMAL.exec(text)!;
  const digits = whole + fraction;
  let first = 0;
  while (first < digits.length && digits[first] === '0') first++;
  if (first === digits.length) return 0n;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const zeros = Number(exponentText) - fraction.length + (digits.length - end);
  if (zeros < 0 || end - first + zeros > MOST_DIGITS) return null;
  const magnitude = BigInt(digits.slice(first, end) + '0'.repeat(zeros));
  return sign === '-' ? -magnitude : magnitude;
}
