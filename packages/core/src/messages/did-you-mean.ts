/**
 * Finds the known name that a misspelled one probably means: another letter case, hyphens for underscores, the plural, one
 * or two typing errors, or the beginning of exactly one name.
 */

/** Longer names are no typing errors; bounds the work for names that clients send. */
const MAX_LENGTH = 60;
const MAX_KNOWN = 10_000;
/** Shortest beginning of a name that is enough. */
const MIN_PREFIX = 3;

/** " (did you mean 'roads'?)", or nothing: to be put behind a name in a message. */
export function didYouMean(name: string, known: readonly string[], quote = "'"): string {
  const found = closest(name, known);
  return found === null ? '' : ` (did you mean ${quote}${found}${quote}?)`;
}

/** The name of `known` that is most like `name`, or begins with it; null if none is, or if it is one of them. */
export function closest(name: string, known: readonly string[]): string | null {
  const { alike, longer } = candidates(name, known);
  return alike ?? longer;
}

/** As `closest`, but the beginning of a name is not enough: for names that may be right. */
export function misspelled(name: string, known: readonly string[]): string | null {
  return candidates(name, known).alike;
}

function candidates(
  name: string,
  known: readonly string[],
): { readonly alike: string | null; readonly longer: string | null } {
  if (name === '' || name.length > MAX_LENGTH || known.includes(name)) return { alike: null, longer: null };
  const wanted = plain(name);
  let alike: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  const longer: string[] = [];
  for (const candidate of known.slice(0, MAX_KNOWN)) {
    if (candidate.length > MAX_LENGTH) continue;
    const other = plain(candidate);
    const distance = singular(wanted) === singular(other) ? 0 : editDistance(wanted, other);
    if (distance <= allowedErrors(wanted, other) && distance < bestDistance) {
      alike = candidate;
      bestDistance = distance;
    }
    if (wanted.length >= MIN_PREFIX && other.startsWith(wanted)) longer.push(candidate);
  }
  return { alike, longer: longer.length === 1 ? longer[0] : null };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]+/g, '_');
}

function singular(name: string): string {
  return name.replace(/(?:ies|y|es|e|s)$/, '');
}

/** In a short name two errors would make another name of it. */
function allowedErrors(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  return length <= 2 ? 0 : length <= 5 ? 1 : 2;
}

/** Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. */
export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j] + 1, row[j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}
