/** Short ranges are copied in a loop: `set` with a subarray allocates an object. */
const SHORT_WORDS = 256;

/** Copies `from[start, end)` to `to[at]` and on. Words, and not numbers: other bits of a NaN would be lost. */
export function copyWords(from: Int32Array, start: number, end: number, to: Int32Array, at: number): void {
  if (end - start > SHORT_WORDS) {
    to.set(from.subarray(start, end), at);
    return;
  }
  for (let i = start, k = at; i < end; i++, k++) to[k] = from[i];
}
