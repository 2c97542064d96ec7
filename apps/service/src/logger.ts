/** The log of the service: one JSON object a line on standard output. */
import { hostname } from 'node:os';
import { shortText } from '@geomill/core/messages/short-text.ts';
import { type FastifyBaseLogger, fastify } from 'fastify';
import { withoutSecrets } from './accounts/secret-text.ts';

/** Headers that hold secrets, at the paths of an entry where headers are logged. */
const SECRET_HEADERS = ['authorization', 'apikey', 'apiKey', 'cookie', '["set-cookie"]'];
const PLACES = ['headers', '*.headers', 'err.request.headers'];

/** Members of every line. */
export interface ProcessIdentity {
  /** Name of the process; no other has the same. */
  readonly process: string;
  readonly role: string;
}

export interface LogDestination {
  write(line: string): unknown;
}

/**
 * Fastify's logger (pino). The service logs no headers and no bodies. As a second line of defence secret headers are redacted by
 * name, and keys and tokens by their pattern in each line, because a client can put one into a file name or a path. Long lines
 * are shortened. `destination`: for tests.
 */
export function createLogger(
  level: string,
  identity: ProcessIdentity,
  destination?: LogDestination,
): FastifyBaseLogger {
  const paths = PLACES.flatMap((place) =>
    SECRET_HEADERS.map((name) => (name.startsWith('[') ? place + name : `${place}.${name}`)),
  );
  const redact = { paths, censor: '[secret]' };
  const hooks = { streamWrite: (line: string) => boundedLine(withoutSecrets(line)) };
  const base = { pid: process.pid, hostname: hostname(), ...identity };
  return fastify({ logger: { level, base, redact, hooks, ...(destination && { stream: destination }) } }).log;
}

/** With its line feed. */
export const MAX_LINE_BYTES = 8192;
/** A longer line is not parsed: that would take too long. */
const MAX_PARSED_CHARACTERS = 1_000_000;
/** Limits of the texts of a line, one after the other until it fits. */
const TEXT_LIMITS = [2000, 500, 100];

/** A JSON line of at most MAX_LINE_BYTES: the line itself, else with shorter texts, else only what every line has. */
function boundedLine(line: string): string {
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
