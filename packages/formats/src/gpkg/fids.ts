/** Feature ids as candidates for the primary key of a feature table, a 64-bit integer. Runs in the workers. */
import {
  type AttributeColumn,
  type BytesColumn,
  isValid,
  type Validity,
} from '@geomill/core/columns/attribute-column.ts';

export const FID_KIND = {
  /** The feature has no id. */
  none: 0,
  integer: 1,
  /** The id is not a 64-bit integer; its text is in `texts`. */
  text: 2,
} as const;

const TWO_TO_32 = 2 ** 32;

export interface FidCandidates {
  /** Doubles if they hold all ids exactly. Rows that are not `integer` have 0. */
  readonly values: Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>;
  /** A FID_KIND per row; null: all are `integer`. */
  readonly kinds: Uint8Array<ArrayBuffer> | null;
  readonly texts: BytesColumn | null;
}

export function fidCandidates(ids: AttributeColumn | null, rowCount: number): FidCandidates | null {
  if (ids === null) return null;
  switch (ids.type) {
    case 'int32':
      return { values: Float64Array.from(ids.values), kinds: kindsOf(ids.validity, rowCount), texts: null };
    case 'int64':
      return fromInt64(ids.values, kindsOf(ids.validity, rowCount));
    case 'float64':
    case 'json':
      return fromMixed(ids, rowCount);
    default:
      return fromText(ids, rowCount);
  }
}

function kindsOf(validity: Validity, rowCount: number): Uint8Array<ArrayBuffer> | null {
  if (validity === null) return null;
  const kinds = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row++) if (isValid(validity, row)) kinds[row] = FID_KIND.integer;
  return kinds.includes(FID_KIND.none) ? kinds : null;
}

function fromInt64(bigValues: BigInt64Array<ArrayBuffer>, kinds: FidCandidates['kinds']): FidCandidates {
  const values = new Float64Array(bigValues.length);
  // Typed arrays are little-endian wherever Node runs; a bigint for each value would cost more than everything else.
  const halves = new Int32Array(bigValues.buffer, bigValues.byteOffset, bigValues.length * 2);
  for (let row = 0; row < values.length; row++) {
    values[row] = halves[2 * row + 1] * TWO_TO_32 + (halves[2 * row] >>> 0);
    if (!Number.isSafeInteger(values[row])) return { values: bigValues, kinds, texts: null };
  }
  return { values, kinds, texts: null };
}

/** Numbers and JSON values: 64-bit integers in any notation ("7", "7.0") become integers. */
function fromMixed(ids: AttributeColumn, rowCount: number): FidCandidates {
  const values = new BigInt64Array(rowCount);
  const kinds = new Uint8Array(rowCount);
  const texts: string[] = [];
  const decoder = new TextDecoder();
  for (let row = 0; row < rowCount; row++) {
    texts.push('');
    if (!isValid(ids.validity, row)) continue;
    const text =
      'offsets' in ids
        ? decoder.decode(ids.bytes.subarray(ids.offsets[row], ids.offsets[row + 1]))
        : String(ids.values[row]);
    const integer = integerOf(text);
    kinds[row] = integer === null ? FID_KIND.text : FID_KIND.integer;
    if (integer !== null) values[row] = integer;
    else texts[row] = text.startsWith('"') ? (JSON.parse(text) as string) : text;
  }
  const { values: narrowed } = fromInt64(values, null);
  return {
    values: narrowed,
    kinds: kinds.every((kind) => kind === FID_KIND.integer) ? null : kinds,
    texts: kinds.includes(FID_KIND.text) ? textColumn(texts, kinds) : null,
  };
}

function integerOf(text: string): bigint | null {
  let value: bigint;
  if (/^-?\d{1,19}$/.test(text)) value = BigInt(text);
  else {
    const number = /^-?\d/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(number)) return null;
    value = BigInt(number);
  }
  return BigInt.asIntN(64, value) === value ? value : null;
}

/** Texts stay texts: "007" as a number would be another id. */
function fromText(ids: AttributeColumn, rowCount: number): FidCandidates {
  const kinds = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row++) if (isValid(ids.validity, row)) kinds[row] = FID_KIND.text;
  const texts = 'offsets' in ids && kinds.includes(FID_KIND.text) ? ids : null;
  return { values: new Float64Array(rowCount), kinds, texts };
}

function textColumn(texts: readonly string[], kinds: Uint8Array): BytesColumn {
  const encoder = new TextEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const offsets = new Uint32Array(texts.length + 1);
  const validity = new Uint8Array((texts.length + 7) >> 3);
  encoded.forEach((bytes, row) => {
    offsets[row + 1] = offsets[row] + bytes.length;
    if (kinds[row] === FID_KIND.text) validity[row >> 3] |= 1 << (row & 7);
  });
  const bytes = new Uint8Array(offsets[texts.length]);
  encoded.forEach((part, row) => {
    bytes.set(part, offsets[row]);
  });
  return { type: 'string', bytes, offsets, validity };
}
