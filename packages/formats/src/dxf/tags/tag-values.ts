/**
 * The kind of value that follows a group code (DXF reference, "Group code value types"). ASCII files write all kinds as
 * text; binary files encode each kind differently.
 */
export const TAG_VALUE = {
  unknown: 0,
  /** Zero-terminated in binary files. */
  text: 1,
  real: 2,
  int16: 3,
  int32: 4,
  int64: 5,
  /** One byte in binary files. */
  boolean: 6,
  /** In binary files a count byte and that many bytes, in ASCII files hexadecimal digits. */
  chunk: 7,
} as const;

const RANGES: readonly (readonly [first: number, last: number, kind: number])[] = [
  [0, 9, TAG_VALUE.text],
  [10, 59, TAG_VALUE.real],
  [60, 79, TAG_VALUE.int16],
  [90, 99, TAG_VALUE.int32],
  [100, 109, TAG_VALUE.text],
  [110, 149, TAG_VALUE.real],
  [160, 169, TAG_VALUE.int64],
  [170, 179, TAG_VALUE.int16],
  [210, 239, TAG_VALUE.real],
  [270, 289, TAG_VALUE.int16],
  [290, 299, TAG_VALUE.boolean],
  [300, 309, TAG_VALUE.text],
  [310, 319, TAG_VALUE.chunk],
  [320, 369, TAG_VALUE.text],
  [370, 389, TAG_VALUE.int16],
  [390, 399, TAG_VALUE.text],
  [400, 409, TAG_VALUE.int16],
  [410, 419, TAG_VALUE.text],
  [420, 429, TAG_VALUE.int32],
  [430, 439, TAG_VALUE.text],
  [440, 459, TAG_VALUE.int32],
  [460, 469, TAG_VALUE.real],
  [470, 481, TAG_VALUE.text],
  [999, 1003, TAG_VALUE.text],
  [1004, 1004, TAG_VALUE.chunk],
  [1005, 1009, TAG_VALUE.text],
  [1010, 1059, TAG_VALUE.real],
  [1060, 1070, TAG_VALUE.int16],
  [1071, 1071, TAG_VALUE.int32],
];

/** TAG_VALUE by group code. */
export const TAG_VALUES = new Uint8Array(1072);
for (const [first, last, kind] of RANGES) TAG_VALUES.fill(kind, first, last + 1);

/** No edition of the format has group codes above this. */
export const MAX_GROUP_CODE = 1071;
