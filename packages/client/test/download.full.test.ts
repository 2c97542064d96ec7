/** Outputs over connections that break. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { type Answer, startScriptedServer } from '../../../test/support/scripted-server.ts';
import { startTestService } from '../../../test/support/service.ts';
import { DownloadInterrupted, GeomillClient } from '../src/client.ts';
import { saveTo } from '../src/node/files.ts';
import { fileNameOf } from '../src/output.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());
const retry = { attempts: 3, maxDelaySeconds: 0.001 };

const PIECE_BYTES = 150_000;
const input = { name: 'a.geojson', data: 'some input '.repeat(80) };
const expected = outputOf(input.data);

/** Passes on what the service answers and cuts the connection behind some bytes of every output. */
const cutting: Answer = async (response, { method, path, headers, body }) => {
  const { range, 'if-range': ifRange, 'content-type': type } = headers;
  const sent = { range, 'if-range': ifRange, 'content-type': type };
  const given = Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const answer = await fetch(service.url + path, {
    method,
    headers: given,
    ...(method === 'POST' ? { body } : {}),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, [...answer.headers.entries()].flat());
  if (bytes.length <= PIECE_BYTES) response.end(bytes);
  else response.write(bytes.subarray(0, PIECE_BYTES), () => response.destroy());
};

test('a download goes on where the connection broke, however often', async (t) => {
  await using proxy = await startScriptedServer(cutting);
  const client = new GeomillClient({ baseUrl: proxy.url, retry });
  const job = await client.submit({
    input,
    config: { input: { format: 'geojson' }, output: { format: 'csv' } },
  });
  await job.wait();
  const output = await job.download();
  assert.equal(await output.text(), expected);
  const ranges = proxy.received
    .filter(({ path }) => path.startsWith('/result/output/'))
    .map(({ headers }) => headers.range);
  assert.ok(expected.length > 5 * PIECE_BYTES);
  assert.equal(ranges.length, Math.ceil(expected.length / PIECE_BYTES));
  assert.deepEqual(ranges.slice(0, 3), [undefined, `bytes=${PIECE_BYTES}-`, `bytes=${2 * PIECE_BYTES}-`]);
  assert.equal(proxy.received.at(-1)?.headers['if-range'], `"${job.id}"`);

  const directory = mkdtempSync(join(tmpdir(), 'geomill-client-'));
  t.after(() => rmSync(directory, { recursive: true }));
  assert.equal(readFileSync(await saveTo(await job.download(), directory), 'utf8'), expected);
  assert.deepEqual(readdirSync(directory), ['a.csv']);
});

test('an output that came with the answer to its request goes on, too', async () => {
  await using proxy = await startScriptedServer(cutting);
  const client = new GeomillClient({ baseUrl: proxy.url, retry });
  const output = await client.transform('geojson', { input, config: { output_format: 'csv' } });
  assert.equal(await output.text(), expected);
  const [first, second] = proxy.received;
  assert.deepEqual([first.method, second.method], ['POST', 'GET']);
  assert.equal(second.path, `/result/output/${output.jobId}`);
});

const headersOf = (length: number) => ({
  etag: '"a"',
  'content-type': 'text/plain',
  'content-length': String(length),
  'metadata-response-size': '10',
});
const half: Answer = (response) => {
  response.writeHead(200, headersOf(10)).write('01234', () => response.destroy());
};

async function interrupted(...answers: Answer[]): Promise<DownloadInterrupted> {
  await using server = await startScriptedServer(...answers);
  const output = await new GeomillClient({ baseUrl: server.url, retry }).job('a').download();
  const error = await output.text().then(assert.fail, (thrown: unknown) => thrown);
  assert.ok(error instanceof DownloadInterrupted, String(error));
  return error;
}

test('the rest of another output is not put behind the begin of one', async () => {
  const { message, receivedBytes } = await interrupted(half, (response) => {
    response.writeHead(200, { ...headersOf(10), etag: '"b"' }).end('abcdefghij');
  });
  assert.match(message, /after 5 bytes: the output is another one now/);
  assert.equal(receivedBytes, 5);
});

test('a connection that breaks without a byte is given up after some attempts', async () => {
  let attempts = 0;
  const nothing: Answer = (response) => {
    attempts += 1;
    const headers = { ...headersOf(5), 'content-range': 'bytes 5-9/10' };
    response.writeHead(206, headers).flushHeaders();
    response.destroy();
  };
  const error = await interrupted(half, nothing);
  assert.match(error.message, /the connection broke/);
  assert.ok(error.cause instanceof Error);
  assert.ok(attempts >= 2);
});

test('an output that ends too early, as over a proxy that hides a break, is completed', async () => {
  const early: Answer = (response) => response.writeHead(200, headersOf(5)).end('01234');
  const rest: Answer = (response) => {
    response.writeHead(206, { ...headersOf(5), 'content-range': 'bytes 5-9/10' }).end('56789');
  };
  await using server = await startScriptedServer(early, rest);
  const output = await new GeomillClient({ baseUrl: server.url, retry }).job('a').download();
  assert.deepEqual([output.byteLength, await output.text()], [10, '0123456789']);
});

test('an output that is left unread, or half read, closes its connection', async () => {
  const closed: Promise<void>[] = [];
  const endless: Answer = (response) => {
    closed.push(new Promise((resolve) => response.once('close', resolve)));
    response
      .writeHead(200, { ...headersOf(1e9), 'metadata-response-size': '1000000000' })
      .write('0'.repeat(1e6));
  };
  await using server = await startScriptedServer(endless);
  const job = new GeomillClient({ baseUrl: server.url, retry }).job('a');
  await (await job.download()).cancel();
  const reader = (await job.download()).stream().getReader();
  assert.ok((await reader.read()).value!.byteLength > 0);
  await reader.cancel();
  await Promise.all(closed);
  assert.equal(closed.length, 2);
});

test('a file name is one, whatever the service calls it', () => {
  const cases: [string | null, string | null][] = [
    [null, null],
    ['attachment', null],
    ['attachment; filename="a b.csv"', 'a b.csv'],
    ['attachment; filename="say \\"a\\".csv"', 'say "a".csv'],
    [`attachment; filename="_.csv"; filename*=UTF-8''%C3%A4.csv`, 'ä.csv'],
    ['attachment; filename="../../evil.sh"', 'evil.sh'],
    ['attachment; filename="C:\\\\evil.bat"', 'evil.bat'],
    [`attachment; filename*=UTF-8''..%2F..`, null],
    [`attachment; filename="a.csv"; filename*=UTF-8''%E4.csv`, 'a.csv'],
  ];
  for (const [given, name] of cases) assert.equal(fileNameOf(given), name, String(given));
});
