/** The log of the service: one JSON object a line on standard output. */
import { type FastifyBaseLogger, fastify } from 'fastify';

/** Fastify's own logger (pino), which is loaded anyway. */
export function createLogger(level: string): FastifyBaseLogger {
  return fastify({ logger: { level } }).log;
}
