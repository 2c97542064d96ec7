/** Reading single values of an entity. */
import { EntityError, type EntityTags } from '../contract.ts';

/** Begins an embedded object (the MTEXT inside an ATTRIB), which reuses codes with other meanings. */
const EMBEDDED_OBJECT = 101;
const FIRST_XDATA_CODE = 1000;

/** Index after the last tag of the entity itself: before XDATA and embedded objects. */
export function ownEnd(tags: EntityTags): number {
  const { codes, count } = tags;
  for (let i = 0; i < count; i++) {
    const code = codes[i];
    if (code >= FIRST_XDATA_CODE || code === EMBEDDED_OBJECT) return i;
  }
  return count;
}

/** Index after the marker of a subclass (code 100); 0 without one, as in R12. */
export function subclassStart(tags: EntityTags, name: string): number {
  for (let i = tags.find(100); i >= 0; i = tags.find(100, i + 1))
    if (tags.text(i).trim() === name) return i + 1;
  return 0;
}

export function realOf(tags: EntityTags, code: number, fallback: number, start: number, end: number): number {
  const at = tags.find(code, start, end);
  return at < 0 ? fallback : tags.real(at);
}

export function integerOf(
  tags: EntityTags,
  code: number,
  fallback: number,
  start: number,
  end: number,
): number {
  const at = tags.find(code, start, end);
  return at < 0 ? fallback : tags.integer(at);
}

interface Triple {
  x: number;
  y: number;
  z: number;
}

/**
 * Reads the position or vector with codes `code`, `code` + 10 and `code` + 20 into `result`; returns false if there is
 * none. Its y and z usually follow directly, but may be anywhere before the next tag with `code`. A missing y is NaN,
 * so that the position is rejected as not finite.
 */
export function readTriple(
  tags: EntityTags,
  code: number,
  start: number,
  end: number,
  result: Triple,
): boolean {
  const at = tags.find(code, start, end);
  if (at < 0) return false;
  const { codes } = tags;
  result.x = tags.real(at);
  result.y = Number.NaN;
  result.z = 0;
  let hasY = false;
  let hasZ = false;
  for (let i = at + 1; i < end && codes[i] !== code && !(hasY && hasZ); i++) {
    if (codes[i] === code + 10 && !hasY) {
      result.y = tags.real(i);
      hasY = true;
    } else if (codes[i] === code + 20 && !hasZ) {
      result.z = tags.real(i);
      hasZ = true;
    }
  }
  return true;
}

export function needTriple(
  tags: EntityTags,
  code: number,
  start: number,
  end: number,
  result: Triple,
  what: string,
): void {
  if (!readTriple(tags, code, start, end, result))
    throw new EntityError(`its ${what} (code ${code}) is missing`);
  if (Number.isNaN(result.y))
    throw new EntityError(`its ${what} (code ${code}) has no y (code ${code + 10})`);
}

/** A value that must be a finite number. */
export function needFinite(value: number, what: string): number {
  if (!Number.isFinite(value)) throw new EntityError(`its ${what} is not a finite number`);
  return value;
}
