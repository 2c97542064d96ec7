/** A host on this machine that files are fetched from, and that misbehaves on demand. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface FileHost extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Method, URL and headers of the requests that came. */
  readonly requests: readonly IncomingMessage[];
  /** Resolves with the next request to `path`, or one that came already. */
  requested(path: string): Promise<IncomingMessage>;
  /** Resolves when no connection is open. */
  deserted(): Promise<void>;
}

export interface FileHostOptions {
  readonly address?: string;
  readonly tls?: ServerOptions;
}

/** `routes` by path; what is not among them is a 404. */
export async function startFileHost(
  routes: Readonly<Record<string, Handler>>,
  { address = '127.0.0.1', tls }: FileHostOptions = {},
): Promise<FileHost> {
  const requests: IncomingMessage[] = [];
  const handle: RequestListener = (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    requests.push(request);
    server.emit('seen');
    const route = routes[path];
    if (route === undefined) response.writeHead(404).end('nothing here');
    else route(request, response);
  };
  const server: Server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      server.emit('left');
    });
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://${address}:${port}`,
    requests,
    async requested(path) {
      for (;;) {
        const found = requests.find((request) => request.url === path);
        if (found !== undefined) return found;
        await once(server, 'seen');
      }
    },
    async deserted() {
      while (sockets.size > 0) await once(server, 'left');
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A host that answers every request with these bytes, valid HTTP or not, and then closes. */
export async function startRawHost(answer: string): Promise<AsyncDisposable & { readonly url: string }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.from(answer, 'latin1')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
