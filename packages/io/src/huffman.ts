/** Prefix codes of deflate (RFC 1951). */

/** Codes are at most this long. */
const MAX_BITS = 15;

/**
 * Lengths of optimal codes in bits, 0 for symbols that do not occur. Where one would be longer than allowed, the counts are
 * made more equal. There are always at least two codes: some decoders reject fewer.
 */
export function codeLengths(counts: Uint32Array): Uint8Array {
  let weights = counts;
  for (;;) {
    const lengths = optimalLengths(weights);
    if (lengths !== null) return lengths;
    weights = weights.map((weight) => (weight === 0 ? 0 : (weight >>> 1) | 1));
  }
}

/** Null: a code is too long. */
function optimalLengths(weights: Uint32Array): Uint8Array | null {
  const lengths = new Uint8Array(weights.length);
  const symbols = [...weights.keys()].filter((symbol) => weights[symbol] > 0);
  const count = symbols.length;
  if (count < 2) {
    lengths[symbols[0] ?? 0] = 1;
    lengths[symbols[0] === 0 || count === 0 ? 1 : 0] = 1;
    return lengths;
  }
  symbols.sort((a, b) => weights[a] - weights[b] || a - b);
  // Leaves in ascending order, then inner nodes, which are made in ascending order too.
  const total = 2 * count - 1;
  const nodeWeights = new Float64Array(total);
  const parents = new Uint16Array(total);
  for (let i = 0; i < count; i++) nodeWeights[i] = weights[symbols[i]];
  let leaf = 0;
  let inner = count;
  for (let next = count; next < total; next++)
    for (let child = 0; child < 2; child++) {
      const takesLeaf = leaf < count && (inner >= next || nodeWeights[leaf] <= nodeWeights[inner]);
      const taken = takesLeaf ? leaf++ : inner++;
      parents[taken] = next;
      nodeWeights[next] += nodeWeights[taken];
    }
  const depths = new Uint16Array(total);
  for (let node = total - 2; node >= 0; node--) depths[node] = depths[parents[node]] + 1;
  // The rarest symbol has the longest code.
  if (depths[0] > MAX_BITS) return null;
  for (let i = 0; i < count; i++) lengths[symbols[i]] = depths[i];
  return lengths;
}

/** The canonical codes: bits in the order in which they are written in the low half, their number in the high half. */
export function codesOf(lengths: Uint8Array): Uint32Array {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (const length of lengths) if (length > 0) counts[length]++;
  const next = new Uint16Array(MAX_BITS + 1);
  for (let bits = 1; bits < MAX_BITS; bits++) next[bits + 1] = (next[bits] + counts[bits]) << 1;
  return Uint32Array.from(lengths, (length) =>
    length === 0 ? 0 : (length << 16) | reversed(next[length]++, length),
  );
}

/** Codes are written from their highest bit on. */
export function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result |= ((code >>> bit) & 1) << (length - 1 - bit);
  return result;
}
