/** Bodies that end with their connection: a time limit and a reset are no end, and files without an end mark may be cut. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { hasEndMark } from '../../../packages/formats/src/recognise.ts';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { catalogue } from '../src/catalogue.ts';
import { findingsOfFetch } from '../src/jobs/fetch-input.ts';
import { bodyOf, follow } from '../src/remote-input/answer.ts';
import { PLAIN_REQUEST, REAL_OUTSIDE } from '../src/remote-input/connect.ts';
import { Deadline } from '../src/remote-input/deadline.ts';
import type { FetchedFile } from '../src/remote-input/fetch-messages.ts';
import { parseUrlPolicy } from '../src/remote-input/policy.ts';

const ROWS = 'id,lon,lat\n1,8,47\n2,8,47\n';

/** What a body without a length comes to if `end` is called after its first rows were received: its bytes, or the code of the error. */
async function bodyUntil(end: (socket: Socket, timers: ManualTimers) => void): Promise<string> {
  const timers = new ManualTimers();
  let connection: Socket | undefined;
  const server = createServer((socket) => {
    connection = socket;
    socket.on('error', () => {});
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${ROWS}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/a.csv`);
  const limits = { maxBytes: 1000, totalMs: 20_000, headersMs: 1000, stallMs: 3000 };
  const policy = parseUrlPolicy(`127.0.0.1:${port}`, '127.0.0.0/8');
  const task = { url: url.href, urlPath: 'input.url', path: '', policy, limits, userAgent: 'geomill/test' };
  using deadline = new Deadline(limits, timers);
  try {
    const answer = await follow(url, { task, outside: REAL_OUTSIDE, kind: PLAIN_REQUEST }, deadline);
    deadline.expectBytes('127.0.0.1');
    let text = '';
    let isFirst = true;
    for await (const chunk of bodyOf(answer, deadline)) {
      text += chunk;
      if (isFirst) end(connection as Socket, timers);
      isFirst = false;
    }
    return text;
  } catch (error) {
    assert.ok(error instanceof GeomillError);
    return error.code;
  } finally {
    connection?.destroy();
    server.close();
  }
}

test('a time limit and a reset connection are no end of a body', async () => {
  assert.equal(await bodyUntil((socket) => void socket.end()), ROWS);
  assert.equal(await bodyUntil((_socket, timers) => timers.pass(20_000)), 'URL_TIMEOUT');
  assert.equal(await bodyUntil((_socket, timers) => timers.pass(3000)), 'URL_TIMEOUT');
  assert.equal(await bodyUntil((socket) => void socket.resetAndDestroy()), 'URL_INCOMPLETE');
});

test('a file that is valid without its last lines counts as changed if its length is unknown', () => {
  assert.equal(catalogue.findings.INPUT_END_UNKNOWN.severity, 'changed');
  const feature = '{"type":"Feature","properties":null,"geometry":null}';
  const cases: readonly (readonly [text: string | Buffer, hasEnd: boolean])[] = [
    [ROWS, false],
    ['geom_wkt\n"POINT (1 2)"\n', false],
    [`${feature}\n${feature}\n`, false],
    [`\x1e${feature}\n`, false],
    [`{"type":"FeatureCollection","features":[${feature},\n${feature}]}\n`, true],
    ['{\n"type":"FeatureCollection",\n"features":[]}', true],
    ['\ufeff<?xml version="1.0"?>\n<kml/>', true],
    ['  0\nSECTION\n  2\nHEADER\n', true],
    ['999\na comment\n  0\r\nSECTION\r\n', true],
    [Buffer.from('504b0304140000000000', 'hex'), true],
    [Buffer.from('SQLite format 3\0'), true],
    [Buffer.from('PAR1\x15'), true],
    [Buffer.from('1f8b0800000000000003', 'hex'), true],
  ];
  for (const [text, hasEnd] of cases) {
    assert.equal(hasEndMark(Buffer.from(text)), hasEnd, String(text).slice(0, 40));
  }
});

test('the report says how the end of a file is known if its length is not', () => {
  const file = { host: 'a', byteLength: 9, name: null };
  const codesOf = (end: FetchedFile['end']): string[] =>
    findingsOfFetch({ ...file, end })
      .list()
      .map(({ code }) => code);
  assert.deepEqual(codesOf('stated'), []);
  assert.deepEqual(codesOf('marked'), ['INPUT_LENGTH_UNKNOWN']);
  assert.deepEqual(codesOf('unknown'), ['INPUT_END_UNKNOWN']);
});
