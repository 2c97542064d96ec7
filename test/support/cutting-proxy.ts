/** A TCP proxy that cuts a connection once, in the middle of what the client sends. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Whether the connection was cut. */
  readonly hasCut: boolean;
}

/** `afterBytes`: of all that clients have sent to `serviceUrl`. */
export async function startCuttingProxy(serviceUrl: string, afterBytes: number): Promise<CuttingProxy> {
  const { hostname, port } = new URL(serviceUrl);
  const open = new Set<Socket>();
  let received = 0;
  let hasCut = false;
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ]) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    service.pipe(client);
    client.on('data', (bytes: Buffer) => {
      const isCutHere = !hasCut && received + bytes.length > afterBytes;
      if (isCutHere) {
        hasCut = true;
        service.write(bytes.subarray(0, afterBytes - received), () => client.resetAndDestroy());
        return;
      }
      received += bytes.length;
      if (!service.write(bytes)) {
        client.pause();
        service.once('drain', () => client.resume());
      }
    });
    client.on('end', () => service.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get hasCut() {
      return hasCut;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
