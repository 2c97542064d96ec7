/** A drawing is parsed in memory, in which an object takes 2 to 5 KB. */
export const MAX_DWG_BYTES = 64 << 20;
export const MAX_DWG_OBJECTS = 400_000;
