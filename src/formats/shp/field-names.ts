/** Field names as a .dbf can hold them: at most 10 bytes, unique in any letter case. */
import { utf8Boundary } from '../../bytes/text-encoding.ts';

export const NAME_BYTES = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The names in their order. Names that fit keep themselves, so that a longer name cut short never takes a name that is
 * another field's own; clashing ones become the first 8 bytes and _1, _2, ... as GDAL names them (shorter from _10 on).
 */
export function dbfFieldNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const result: (string | null)[] = names.map((name) => {
    const clean = cleaned(name);
    if (clean !== name || encoder.encode(name).length > NAME_BYTES || taken.has(fold(name))) return null;
    taken.add(fold(name));
    return name;
  });
  return result.map((kept, i) => {
    if (kept !== null) return kept;
    const clean = cleaned(names[i]);
    let name = cut(clean, NAME_BYTES);
    for (let n = 1; taken.has(fold(name)); n++) {
      const suffix = `_${n}`;
      name = cut(clean, NAME_BYTES - Math.max(2, suffix.length)) + suffix;
    }
    taken.add(fold(name));
    return name;
  });
}

/** Readers end a name at a zero byte and trim blanks; a name of nothing else needs one of its own. */
function cleaned(name: string): string {
  const clean = name.replace(/\p{Cc}/gu, '_').trim();
  return clean === '' ? 'field' : clean;
}

function cut(name: string, byteLimit: number): string {
  const bytes = encoder.encode(name);
  if (bytes.length <= byteLimit) return name;
  return decoder.decode(bytes.subarray(0, utf8Boundary(bytes, 0, byteLimit))).trimEnd();
}

function fold(name: string): string {
  return name.toLowerCase();
}
