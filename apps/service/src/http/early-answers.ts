/**
 * Answers that are sent before the request body has been read, e.g. errors. If the connection were closed at once, the
 * client's kernel would discard the answer when more of the body meets a closed socket, and most clients would report a
 * reset connection instead. So the rest of the body is read and discarded first, within limits.
 */
import type { IncomingMessage } from 'node:http';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import type { FastifyInstance } from 'fastify';

export interface LingerLimits {
  readonly ms: number;
  readonly bytes: number;
  /** Default: those of the platform. */
  readonly timers?: Timers;
}

const LIMITS: LingerLimits = { ms: 5000, bytes: 256 * 1024 ** 2 };
const CHECK_MS = 20;

export function lingerAfterEarlyAnswers(app: FastifyInstance, limits: Partial<LingerLimits> = {}): void {
  app.addHook('onSend', async ({ raw }, { raw: response }) => {
    if (!raw.complete && !response.shouldKeepAlive) closeAfterBody(raw);
  });
  app.addHook('onResponse', async ({ raw }) => discardBody(raw, { ...LIMITS, ...limits }));
}

/** Node calls `destroySoon` after the last answer of a connection: send the end of ours, keep reading the client's. */
function closeAfterBody(raw: IncomingMessage): void {
  const { socket } = raw;
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (raw.complete) destroySoon();
    else socket.end();
  };
  raw.once('end', destroySoon);
}

function discardBody(raw: IncomingMessage, { ms, bytes, timers = PLATFORM_TIMERS }: LingerLimits): void {
  if (raw.complete || raw.destroyed) return;
  const { socket } = raw;
  const start = { at: timers.now(), bytes: socket.bytesRead };
  raw.unpipe();
  raw.resume();
  // Asked at intervals: Node drops what is not read of a body without an event on the request, and a 'data' listener on the
  // socket would take it from the HTTP parser, which can leave a kept connection waiting forever.
  const end = timers.every(CHECK_MS, () => {
    const isOver = raw.complete || socket.destroyed;
    if (isOver) end();
    else if (timers.now() - start.at > ms || socket.bytesRead - start.bytes > bytes) socket.destroy();
  });
}
