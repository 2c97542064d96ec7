/**
 * An S3 server for tests: s3rver behind a proxy that can fail, and that answers the two requests that s3rver lacks (the list of uploads
 * in parts, and their end). With TEST_S3_PORT, another server on this machine instead of s3rver (test/cluster/README.md): each test has a
 * prefix of its own there.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Patience, S3Settings } from '../../apps/service/src/storage/s3-transport.ts';

interface S3rver {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
  readonly httpServer: { closeAllConnections(): void };
}

export const BUCKET = 'geodata';
export const KEY_ID = process.env.TEST_S3_KEY_ID ?? 'S3RVER';
export const SECRET = process.env.TEST_S3_SECRET ?? 'S3RVER';
const FOREIGN_PORT = Number(process.env.TEST_S3_PORT ?? 0);
const KEEP = '.keep';

/** What the proxy does with a request instead of forwarding it. */
export type S3Fault =
  | 'error before'
  | 'error after'
  | 'close before'
  | 'close in request'
  | 'close in response'
  | 'stall'
  | 'slow';

export const S3_FAULTS: readonly S3Fault[] = [
  'error before',
  'error after',
  'close before',
  'close in request',
  'close in response',
  'stall',
  'slow',
];

/** Short waits, for servers that fail at once. */
export const IMPATIENT: Patience = { retries: 6, firstPauseMs: 5, stallMs: 400, leastRate: 1024 ** 2 };

export class S3TestServer implements AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  /** Requests since the start: method, path and query, with the headers. */
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
  }[] = [];
  /** Asked for each request; null: forward it. */
  faultFor: (request: IncomingMessage) => S3Fault | { status: number; code: string } | null = () => null;
  readonly #close: () => Promise<void>;
  readonly #prefix = FOREIGN_PORT === 0 ? '' : `${randomUUID()}/`;

  private constructor(directory: string, url: string, close: () => Promise<void>) {
    this.directory = directory;
    this.url = url;
    this.#close = close;
  }

  /** `address`, `port`: where it listens. Null: s3rver is not installed. */
  static async start(directory: string, address = '127.0.0.1', port = 0): Promise<S3TestServer | null> {
    const inner = FOREIGN_PORT === 0 ? await startS3rver(directory) : FOREIGN;
    if (inner === null) return null;
    let server: S3TestServer | null = null;
    const proxy = createServer((request, response) => server?.handle(inner.port, request, response));
    await new Promise<void>((resolve) => proxy.listen(port, address, resolve));
    const { port: chosenPort } = proxy.address() as AddressInfo;
    server = new S3TestServer(directory, `http://${address}:${chosenPort}`, async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await inner.close();
    });
    return server;
  }

  settings(prefix: string, patience?: Patience): S3Settings {
    return {
      bucket: BUCKET,
      prefix: this.#prefix + prefix,
      endpoint: this.url,
      publicEndpoint: null,
      region: 'us-east-1',
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
      sessionToken: null,
      ...(patience === undefined ? {} : { patience }),
    };
  }

  /** Keys of all objects of the bucket. */
  objects(): string[] {
    const names = readdirSync(join(this.directory, BUCKET), { recursive: true, encoding: 'utf8' });
    const suffix = '._S3rver_object';
    return names
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length))
      .sort();
  }

  /** Uploads in parts that were neither completed nor aborted. */
  pending(): { readonly id: string; readonly key: string; readonly begunAt: Date }[] {
    const folder = this.#pendingFolder;
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((id) => existsSync(join(folder, id, 'key')))
      .map((id) => ({
        id,
        key: readFileSync(join(folder, id, 'key'), 'utf8'),
        begunAt: statSync(join(folder, id, 'key')).mtime,
      }));
  }

  get #pendingFolder(): string {
    return join(this.directory, BUCKET, '._S3rver_uploads');
  }

  handle(innerPort: number, request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, headers });
    request.on('error', () => {});
    const fault = this.faultFor(request);
    const { pathname, searchParams } = new URL(url, this.url);
    const uploadId = searchParams.get('uploadId');
    const isFake = FOREIGN_PORT === 0;
    if (isFake && method === 'PUT' && pathname.startsWith(`/${BUCKET}/`))
      keepFolder(join(this.directory, decodeURIComponent(pathname)));
    if (fault !== null && typeof fault === 'object')
      answer(request, response, fault.status, errorText(fault.code));
    else if (fault === 'error before') answer(request, response, 503, errorText('SlowDown'));
    else if (fault === 'close before') request.socket.destroy();
    else if (fault === 'stall') request.resume();
    else if (fault === 'close in request')
      for (const event of ['data', 'end']) request.once(event, () => request.socket.destroy());
    else if (isFake && method === 'GET' && searchParams.has('uploads'))
      answer(request, response, 200, this.#pendingText());
    else if (isFake && method === 'DELETE' && uploadId !== null) {
      rmSync(join(this.#pendingFolder, uploadId.replaceAll('/', '')), { recursive: true, force: true });
      answer(request, response, 204, '');
    } else forward(innerPort, request, response, fault);
  }

  #pendingText(): string {
    const entries = this.pending().map(
      ({ id, key, begunAt }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begunAt.toISOString()}</Initiated></Upload>`,
    );
    return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

interface InnerServer {
  readonly port: number;
  close(): Promise<void>;
}

const FOREIGN: InnerServer = { port: FOREIGN_PORT, close: async () => {} };

/** Null: it is not installed. */
async function startS3rver(directory: string): Promise<InnerServer | null> {
  const load = createRequire(import.meta.url);
  let Server: new (options: object) => S3rver;
  try {
    Server = load('@20minutes/s3rver') as typeof Server;
  } catch {
    return null;
  }
  mkdirSync(directory, { recursive: true });
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    vhostBuckets: false,
    directory,
    configureBuckets: [{ name: BUCKET }, { name: 'foreign' }],
  });
  const { port } = await server.run();
  return {
    port,
    async close() {
      server.httpServer.closeAllConnections();
      await server.close();
    },
  };
}

function errorText(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>a test</Message></Error>`;
}

function forward(
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
  fault: S3Fault | null,
): void {
  const { method, url, headers } = request;
  const forwarded = httpRequest({ host: '127.0.0.1', port, method, path: url, headers });
  forwarded.on('error', () => response.destroy());
  forwarded.on('response', (found) => {
    if (response.destroyed) {
      found.resume();
      return;
    }
    if (fault === 'error after') {
      found.resume();
      answer(request, response, 500, errorText('InternalError'));
      return;
    }
    response.writeHead(found.statusCode ?? 500, found.headers);
    if (fault === 'close in response') {
      found.once('data', (chunk: Buffer) => {
        response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => response.destroy());
      });
      found.once('end', () => response.destroy());
    } else if (fault === 'slow') setTimeout(() => pipeline(found, response, () => {}), 100);
    else pipeline(found, response, () => {});
  });
  pipeline(request, forwarded, () => {});
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  request.resume();
  response.writeHead(status, {
    'content-type': 'application/xml',
    'content-length': Buffer.byteLength(text),
  });
  response.end(request.method === 'HEAD' || status === 204 ? '' : text);
}

/**
 * s3rver removes the folder of an object that was deleted if it looks empty, with all that is put into it meanwhile: an object whose
 * upload was confirmed is gone. So no folder is ever empty.
 */
function keepFolder(path: string): void {
  const folder = dirname(path);
  if (existsSync(join(folder, KEEP))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, KEEP), '');
}
