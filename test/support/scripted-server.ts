/** A server whose answers a test writes one by one, to show a client what a real service seldom does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: Received) => void;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** What came, in its order. */
  readonly received: readonly Received[];
}

/** Answers request by request; the last answer stays for all that follow. Bodies are read whole before it answers. */
export async function startScriptedServer(...answers: Answer[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    // The client has gone, so there is nobody to answer.
    if (body === null) return;
    const one = { method: request.method!, path: request.url!, headers: request.headers, body };
    received.push(one);
    answers[Math.min(received.length, answers.length) - 1](response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function problem(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const type = `urn:geomill:error:${code}`;
  const body = { type, title: 'A title', status, detail: `detail of ${code}` };
  return json(status, body, { 'content-type': 'application/problem+json', ...headers });
}

export const broken: Answer = (response) => response.destroy();
