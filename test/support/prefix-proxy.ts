/** A reverse proxy that serves a service below a path, as nginx with `location /prefix/ { proxy_pass http://service/; }`. */
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy extends AsyncDisposable {
  /** Public address of the service, for BASE_URL. */
  readonly baseUrl: string;
  /** Paths that came without the prefix. */
  readonly strays: readonly string[];
  /** Address of the service, which needs `baseUrl` to start. */
  forwardTo(serviceUrl: string): void;
}

export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  let target: URL | null = null;
  const strays: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    if (target === null || !path.startsWith(`${prefix}/`)) {
      strays.push(path);
      outgoing.writeHead(404).end();
      return;
    }
    const { hostname, port } = target;
    const { method, headers } = incoming;
    const forwarded = send({ hostname, port, method, path: path.slice(prefix.length), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    strays,
    forwardTo(serviceUrl) {
      target = new URL(serviceUrl);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
