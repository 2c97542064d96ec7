/**
 * Texts for messages, reports and log lines. User data can make a name or a value any length, so a text is cut where it
 * is put into one of these.
 *
 * A shortened text is never longer than its limit, so shortening it again changes nothing; and it has no control
 * characters, so it takes at most 3 bytes of UTF-8 for each UTF-16 unit, also inside JSON.
 */

/** Longest name or value of user data in a message, in UTF-16 units. */
export const MAX_QUOTED = 200;
/** Longest message that geomill composes from shortened texts. */
export const MAX_COMPOSED = 2000;
/** Longest text for the operator, such as a stack trace; it fits into a log line. */
export const MAX_LOGGED = 2000;

const encoder = new TextEncoder();

/** The text with at most `limit` UTF-16 units. If it is cut, it ends with its true length. */
export function shortText(text: string, limit = MAX_QUOTED): string {
  if (text.length <= limit) return printable(text);
  const ending = `… (${grouped(text.length)} characters)`;
  // The cut may leave half of a surrogate pair.
  const kept = text.slice(0, Math.max(0, limit - ending.length)).replace(/[\ud800-\udbff]$/, '');
  return printable(kept + ending);
}

/** Any value as JSON for a message, shortened. */
export function shortValue(value: unknown, limit = 60): string {
  if (typeof value === 'string') return JSON.stringify(shortText(value, limit));
  return shortText(JSON.stringify(value) ?? 'nothing', limit);
}

/** A list of names for a sentence: "a, b and 93 others". */
export function listed(names: readonly string[], limit = 20): string {
  const shown = names.slice(0, limit).map((name) => shortText(name, 60));
  const others = names.length - shown.length;
  if (others === 0) return shown.join(', ');
  return `${shown.join(', ')} and ${grouped(others)} ${others === 1 ? 'other' : 'others'}`;
}

/** The first entries whose JSON has at most `maxBytes` bytes, including commas. */
export function listWithin<Entry>(list: readonly Entry[], maxBytes: number): readonly Entry[] {
  let taken = 0;
  for (const [index, entry] of list.entries()) {
    taken += jsonBytes(entry) + 1;
    if (taken > maxBytes) return list.slice(0, index);
  }
  return list;
}

export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** "7,800,000". */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be replaced
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const SUSPICIOUS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff]/;

function printable(text: string): string {
  return SUSPICIOUS.test(text) ? text.replace(UNPRINTABLE, '\ufffd') : text;
}
