/** Facts that the record and the reader need. */

/** A drawing is parsed in memory, in which an object takes 2 to 5 KB. */
export const MAX_DWG_BYTES = 64 << 20;
export const MAX_DWG_OBJECTS = 400_000;

/** Matches the beginning of a DWG of any version. */
export const DWG_PATTERN = /^(?:AC(?:10\d\d|1\.\d|2\.\d\d)|MC0\.0)/;
