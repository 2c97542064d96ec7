interface Sliceable<A> {
  readonly length: number;
  slice(start: number, end: number): A;
  subarray(start: number, end: number): A;
}

/**
 * The first `length` elements: as a view if little of the buffer is unused, so that no byte is copied, else as a copy.
 */
export function trimmed<A extends Sliceable<A>>(array: A, length: number): A {
  if (array.length === length) return array;
  return length * 4 >= array.length * 3 ? array.subarray(0, length) : array.slice(0, length);
}
