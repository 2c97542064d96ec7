/** Bounds the lines of the log: whatever is logged, a line is JSON of at most MAX_LINE_BYTES. */
import { shortText } from '../short-text.ts';

/** With its line feed. */
export const MAX_LINE_BYTES = 8192;
/** A longer line is not parsed any more: that would cost more than it tells. */
const MAX_PARSED_CHARACTERS = 1_000_000;
/** Limits of the texts of a line, one after the other until it fits. */
const TEXT_LIMITS = [2000, 500, 100];

/** The line as it is, or with its texts shortened, or with what every line has alone. */
export function boundedLine(line: string): string {
  if (line.length <= MAX_LINE_BYTES / 3 || Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  const entry = line.length <= MAX_PARSED_CHARACTERS ? parsed(line) : null;
  if (entry !== null)
    for (const limit of TEXT_LIMITS) {
      const shorter = `${JSON.stringify(entry, (_, value) => shortened(value, limit))}\n`;
      if (Buffer.byteLength(shorter) <= MAX_LINE_BYTES) return shorter;
    }
  return `${JSON.stringify({ ...head(line, entry), lineBytes: Buffer.byteLength(line), cut: true })}\n`;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function shortened(value: unknown, limit: number): unknown {
  return typeof value === 'string' ? shortText(value, limit) : value;
}

/** Level, time and text; without the entry as far as the beginning of the line tells, where pino puts the first two. */
function head(line: string, entry: Record<string, unknown> | null): object {
  const found = /^\{"level":(\d+),"time":(\d+)/.exec(line);
  const level = entry?.level ?? (found === null ? 50 : Number(found[1]));
  const time = entry?.time ?? (found === null ? Date.now() : Number(found[2]));
  const begin = line.slice(0, 500);
  return { level, time, msg: shortText(typeof entry?.msg === 'string' ? entry.msg : begin, 500) };
}
