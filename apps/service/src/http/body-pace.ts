/**
 * Closes connections whose request body arrives too slowly or takes too long: each holds a connection, an open file and
 * memory, and the idle timeout does not apply to a client that sends a byte now and then.
 */
import type { Socket } from 'node:net';
import { failure } from '@geomill/core/messages/errors.ts';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerOnSocket } from './error-reply.ts';
import { httpErrors } from './errors.ts';
import type { SecurityHeaders } from './security-headers.ts';

export interface BodyPaceLimits {
  /** Averaged over a window; 0: no minimum. */
  readonly minBytesPerSecond: number;
  readonly maxSeconds: number;
  /** Length of the window; for tests. */
  readonly windowMs?: number;
  /** Default: those of the platform. */
  readonly timers?: Timers;
}

const WINDOW_MS = 30_000;

interface Receiving {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly startedAt: number;
  windowStartedAt: number;
  bytesAtWindowStart: number;
}

/** Watches the bodies of all requests of the application. */
export function keepPace(app: FastifyInstance, limits: BodyPaceLimits, headers: SecurityHeaders): void {
  const { minBytesPerSecond, maxSeconds, windowMs = WINDOW_MS, timers = PLATFORM_TIMERS } = limits;
  const bodies = new Map<FastifyRequest['raw'], Receiving>();
  const check = (): void => {
    const now = timers.now();
    for (const [raw, body] of bodies) {
      if (raw.complete || raw.destroyed) {
        bodies.delete(raw);
        continue;
      }
      const isTooLong = now - body.startedAt > maxSeconds * 1000;
      if (!isTooLong && now - body.windowStartedAt < windowMs) continue;
      const { bytesRead } = raw.socket;
      const rate = ((bytesRead - body.bytesAtWindowStart) * 1000) / (now - body.windowStartedAt);
      // Unread data means that the service is slow, not the client.
      const waitsForClient = raw.readableLength === 0 && !raw.isPaused();
      if (isTooLong || (rate < minBytesPerSecond && waitsForClient)) {
        bodies.delete(raw);
        refuse(body, raw.socket, headers);
      }
      body.windowStartedAt = now;
      body.bytesAtWindowStart = bytesRead;
    }
  };
  const end = timers.every(Math.min(windowMs, maxSeconds * 1000) / 2, check);
  app.addHook('onClose', async () => end());
  app.addHook('preParsing', async (request, reply) => {
    const { raw } = request;
    if (raw.complete) return;
    const startedAt = timers.now();
    bodies.set(raw, {
      request,
      reply,
      startedAt,
      windowStartedAt: startedAt,
      bytesAtWindowStart: raw.socket.bytesRead,
    });
    raw.once('close', () => bodies.delete(raw));
  });
}

/** Answers on the socket: the handler still waits for the body and is ended by the closed connection. */
function refuse({ reply }: Receiving, socket: Socket, headers: SecurityHeaders): void {
  if (reply.raw.headersSent) socket.destroy();
  else answerOnSocket(failure(httpErrors.REQUEST_TIMEOUT, {}), socket, headers);
  socket.destroySoon();
}
