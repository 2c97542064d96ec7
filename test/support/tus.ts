/** Requests of the tus protocol, written by hand. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { checkedFetch } from './response-check.ts';

export const TUS = { 'tus-resumable': '1.0.0' } as const;
export const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream' } as const;

type Headers = Readonly<Record<string, string>>;
type Bytes = string | Uint8Array<ArrayBuffer>;

export interface Service {
  readonly url: string;
}

export interface UploadDocument {
  readonly id: string;
  readonly name: string | null;
  readonly byte_length: number | null;
  readonly offset: number;
  readonly complete: boolean;
  readonly expires_at: string;
  readonly url: string;
}

export function createUpload(service: Service, headers: Headers, body?: Bytes): Promise<Response> {
  return checkedFetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { ...TUS, ...(body === undefined ? {} : PIECE), ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Creates an upload and expects 201; its address. */
export async function newUpload(service: Service, length: number, headers: Headers = {}): Promise<string> {
  const response = await createUpload(service, { 'upload-length': String(length), ...headers });
  if (response.status !== 201) throw new Error(`expected 201: ${response.status} ${await response.text()}`);
  return response.headers.get('location')!;
}

export function appendTo(url: string, offset: number, body: Bytes, headers: Headers = {}): Promise<Response> {
  return checkedFetch(url, {
    method: 'PATCH',
    headers: { ...PIECE, 'upload-offset': String(offset), ...headers },
    body,
  });
}

/** Begins a PATCH of `length` bytes and sends `body`; the socket stays open. */
export async function beginPatch(url: string, offset: number, length: number, body: string) {
  const { port, hostname, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = Object.entries({ ...PIECE, 'upload-offset': offset, 'content-length': length })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.write(`PATCH ${pathname} HTTP/1.1\r\nhost: x\r\n${head}\r\n${body}`);
  return { socket, answer: () => answer };
}

/** What HEAD says of the upload. */
export async function offsetOf(url: string, headers: Headers = {}): Promise<number> {
  const response = await checkedFetch(url, { method: 'HEAD', headers: { ...TUS, ...headers } });
  if (!response.ok) throw new Error(`HEAD of an upload: ${response.status}`);
  return Number(response.headers.get('upload-offset'));
}

/** Uploads a file in one request as a form; its document. */
export async function uploadForm(
  service: Service,
  content: Bytes,
  name = 'roads.geojson',
  headers: Headers = {},
): Promise<UploadDocument> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  const response = await checkedFetch(`${service.url}/v1/uploads`, { method: 'POST', body: form, headers });
  if (response.status !== 201) throw new Error(`expected 201: ${response.status} ${await response.text()}`);
  return (await response.json()) as UploadDocument;
}

export function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}
