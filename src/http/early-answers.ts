/**
 * Answers that are sent before the request body has been read, e.g. errors. If the connection were closed at once, the
 * client's kernel would discard the answer when more of the body meets a closed socket, and most clients would report a
 * reset connection instead. So the rest of the body is read and discarded first, within limits.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

export interface LingerLimits {
  readonly ms: number;
  readonly bytes: number;
}

const LIMITS: LingerLimits = { ms: 5000, bytes: 256 * 1024 ** 2 };

export function lingerAfterEarlyAnswers(app: FastifyInstance, limits: LingerLimits = LIMITS): void {
  app.addHook('onSend', async ({ raw }, { raw: response }) => {
    if (!raw.complete && !response.shouldKeepAlive) closeAfterBody(raw);
  });
  app.addHook('onResponse', async ({ raw }) => discardBody(raw, limits));
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

function discardBody(raw: IncomingMessage, { ms, bytes }: LingerLimits): void {
  if (raw.complete || raw.destroyed) return;
  const { socket } = raw;
  raw.unpipe();
  raw.resume();
  // Counted on the socket: Node drops the rest of a body that nobody has read, without an event on the request.
  let bytesLeft = bytes;
  const count = (chunk: Buffer): void => {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) socket.destroy();
  };
  socket.on('data', count);
  const timer = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, ms).unref();
  raw.once('close', () => {
    clearTimeout(timer);
    socket.off('data', count);
  });
}
