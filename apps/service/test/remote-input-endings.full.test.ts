/** Every way in which the answer of a host can end early is an error, or a finding where the end cannot be known. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { until } from '../../../test/support/until.ts';
import { catalogue } from '../src/catalogue.ts';
import { findingsOfFetch } from '../src/jobs/fetch-input.ts';
import { REAL_OUTSIDE } from '../src/remote-input/connect.ts';
import { fetchFile } from '../src/remote-input/fetch-file.ts';
import { parseUrlPolicy } from '../src/remote-input/policy.ts';

const ROWS = 'id,lon,lat\n1,2,3\n2,3,4\n';
const COLLECTION = '{"type":"FeatureCollection","features":[]}';
const LIMITS = { maxBytes: 1000, totalMs: 20_000, headersMs: 10_000, stallMs: 10_000 };

type Ending = 'close' | 'reset' | 'total' | 'stall';

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true }));
let count = 0;

/**
 * The end of a fetch whose host sends `head` and `body`, and then ends so: it closes or resets the connection, or sends no
 * more until a time limit. Codes of findings with their severity, or the code of the error.
 */
async function endOf(head: string, body: string, ending: Ending): Promise<string> {
  const sockets: Socket[] = [];
  const path = join(directory, String(count++));
  const timers = new ManualTimers();
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', (request) => {
      if (request.toString('latin1').startsWith('GET /moved'))
        return socket.end('HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n');
      socket.write(Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n${body}`, 'latin1'));
      if (ending === 'close') socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const task = {
    url: `http://127.0.0.1:${port}/moved`,
    urlPath: 'input.url',
    path,
    policy: parseUrlPolicy(`127.0.0.1:${port}`, '127.0.0.0/8'),
    limits: LIMITS,
    userAgent: 'geomill/test',
  };
  const result = fetchFile(task, { ...REAL_OUTSIDE, timers }).then(
    (file) =>
      findingsOfFetch(file)
        .list()
        .map(({ code }) => `${code} ${catalogue.findings[code].severity}`)
        .join(', ') || 'whole',
    (error: unknown) => {
      if (error instanceof GeomillError && error.fault === 'user') return error.code;
      throw error;
    },
  );
  try {
    if (ending !== 'close') {
      await until('the body has arrived', () => sizeOf(path) > 0);
      if (ending === 'reset') for (const socket of sockets) socket.resetAndDestroy();
      else timers.pass(ending === 'stall' ? LIMITS.stallMs : LIMITS.totalMs);
    }
    return await result;
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

function sizeOf(path: string): number {
  try {
    return readFileSync(path).length;
  } catch {
    return 0;
  }
}

const LENGTH = `Content-Length: ${ROWS.length + 10}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNK = `${ROWS.length.toString(16)}\r\n${ROWS}\r\n`;
/** Head, body and what each ending gives. */
const CASES: readonly (readonly [string, string, string, Readonly<Partial<Record<Ending, string>>>])[] = [
  ['no length', '', ROWS, { close: 'INPUT_END_UNKNOWN changed', reset: 'URL_INCOMPLETE' }],
  [
    'no length, a collection',
    '',
    COLLECTION,
    { close: 'INPUT_LENGTH_UNKNOWN info', reset: 'URL_INCOMPLETE' },
  ],
  ['a length', LENGTH, ROWS, { close: 'URL_INCOMPLETE', reset: 'URL_INCOMPLETE' }],
  ['chunks', CHUNKED, CHUNK, { close: 'URL_INCOMPLETE', reset: 'URL_INCOMPLETE' }],
  ['half a chunk', CHUNKED, CHUNK.slice(0, -9), { close: 'URL_INCOMPLETE', reset: 'URL_INCOMPLETE' }],
  ['a last chunk without its end', CHUNKED, `${CHUNK}0\r\n`, { close: 'URL_INCOMPLETE' }],
  [
    'identity as transfer coding',
    'Transfer-Encoding: identity\r\n',
    ROWS,
    { close: 'INPUT_END_UNKNOWN changed', reset: 'URL_INCOMPLETE' },
  ],
];

for (const [name, head, body, expected] of CASES)
  test(`an answer with ${name} that ends early`, async () => {
    const endings = { total: 'URL_TIMEOUT', stall: 'URL_TIMEOUT', ...expected };
    const found: Record<string, string> = {};
    for (const ending of Object.keys(endings) as Ending[]) found[ending] = await endOf(head, body, ending);
    assert.deepEqual(found, endings);
  });

test('an answer whose head and body do not agree, or that is no whole file, is an error', async () => {
  const size = ROWS.length;
  const cases: readonly (readonly [string, string, string])[] = [
    [`Content-Length: ${size}\r\n`, ROWS, 'whole'],
    [`Content-Length: ${size - 6}\r\n`, ROWS, 'URL_LENGTH_WRONG'],
    [`Content-Length: ${size + 1}\r\n`, ROWS, 'URL_INCOMPLETE'],
    [CHUNKED, `${CHUNK}0\r\n\r\n`, 'whole'],
    [CHUNKED, `${CHUNK}0\r\n\r\n3,4,5\n`, 'URL_LENGTH_WRONG'],
    [`Content-Range: bytes 0-${size - 1}/900\r\nContent-Length: ${size}\r\n`, ROWS, 'URL_PARTIAL'],
    [`Content-Range: bytes 9-${size + 8}/${size + 9}\r\nContent-Length: ${size}\r\n`, ROWS, 'URL_PARTIAL'],
    [`Content-Range: bytes 0-${size - 1}/*\r\nContent-Length: ${size}\r\n`, ROWS, 'URL_PARTIAL'],
    [`Content-Range: bytes 0-${size - 1}/${size}\r\nContent-Length: ${size}\r\n`, ROWS, 'whole'],
    ['Transfer-Encoding: gzip\r\n', ROWS, 'URL_ENCODING'],
    ['Transfer-Encoding: gzip, chunked\r\n', `${CHUNK}0\r\n\r\n`, 'URL_ENCODING'],
    ['', 'x'.repeat(1001), 'LIMIT_EXCEEDED'],
    ['', '', 'INPUT_EMPTY'],
  ];
  for (const [head, body, expected] of cases)
    assert.equal(await endOf(head, body, 'close'), expected, `${head}${body.length}`);
});
