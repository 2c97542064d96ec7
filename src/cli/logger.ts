/** The log of the service: one JSON object a line on standard output. */
import { type FastifyBaseLogger, fastify } from 'fastify';
import { withoutSecrets } from '../accounts/secret-text.ts';
import { boundedLine } from './log-line.ts';

/** Headers that hold secrets, wherever in an entry somebody logs headers. */
const SECRET_HEADERS = ['authorization', 'apikey', 'apiKey', 'cookie', '["set-cookie"]'];
const PLACES = ['headers', '*.headers', 'err.request.headers'];

export interface LogDestination {
  write(line: string): unknown;
}

/**
 * Fastify's own logger (pino), which is loaded anyway. We log no headers and no bodies; what somebody logs one day by
 * mistake, and what a client puts into a file name or a path, is struck out: secret headers by name, keys and tokens by
 * their shape in every line as it is written; a line that is too long is shortened. `destination`: for tests.
 */
export function createLogger(level: string, destination?: LogDestination): FastifyBaseLogger {
  const paths = PLACES.flatMap((place) =>
    SECRET_HEADERS.map((name) => (name.startsWith('[') ? place + name : `${place}.${name}`)),
  );
  const redact = { paths, censor: '[secret]' };
  const hooks = { streamWrite: (line: string) => boundedLine(withoutSecrets(line)) };
  return fastify({ logger: { level, redact, hooks, ...(destination && { stream: destination }) } }).log;
}
