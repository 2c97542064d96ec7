/** What happens while a body comes in: refusals before it, limits within it, slow clients, clients that go away. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { isInputFormat } from '../../../../packages/formats/src/format.ts';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { expectProblem } from '../../../../test/support/problem.ts';
import { exchange as exchangeWith } from '../../../../test/support/raw-http.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { postForm, startTestService, submitJob } from '../../../../test/support/service.ts';
import { allOperations } from '../../src/http/operations/all.ts';

const service = await startTestService({ settings: { MAX_JSON_BODY: '50 KiB' } });
test.after(() => service[Symbol.asyncDispose]());

const exchange = (bytes: string, enough: RegExp) => exchangeWith(service.url, bytes, enough);
const inputs = (): string[] => readdirSync(join(service.config.dataDirectory, 'inputs'));
/** A moment in which the service does something: tests wait for states, and ask as often as it takes. */
const ask = () => fetch(`${service.url}/healthz`);

const FORM = 'multipart/form-data; boundary=b';
const ASKING = 'Host: x\r\nExpect: 100-continue\r\n';
const paths = allOperations(formats)
  .filter(({ submits }) => submits !== undefined)
  .map(({ path }) => path);

function head(path: string, type: string, length: number | string): string {
  return `POST ${path} HTTP/1.1\r\n${ASKING}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
}

test('every operation that takes a body refuses it before "100 Continue" where the headers tell enough', async () => {
  assert.ok(paths.length >= 2 + 3 * formats.filter(isInputFormat).length);
  for (const path of paths) {
    const rows: [string, RegExp][] = [
      [head(path, 'text/plain', 10), /^HTTP\/1.1 415 .*send multipart\/form-data/s],
      [head(path, FORM, 10_000_000_000), /^HTTP\/1.1 413 .*declared as 10000000000 bytes.*MAX_UPLOAD/s],
      [head(`${path}?async=maybe`, FORM, 10), /^HTTP\/1.1 400 .*'async' is 'maybe'/s],
      [head(path, FORM, 10), /^HTTP\/1.1 100 Continue/],
    ];
    for (const [bytes, expected] of rows)
      assert.match(await exchange(bytes, /\}$|100 Continue/), expected, bytes);
  }
  assert.match(
    await exchange(head('/v1/transform/gml', FORM, 10), /\}$/),
    /^HTTP\/1.1 404 .*unknown format/s,
  );
});

test('a JSON body above the limit is refused before it is read when its length is declared', async () => {
  for (const path of ['', '/append', '/merge']) {
    const answer = await exchange(
      head(`/v1/transform/geojson${path}`, 'application/json', 1_000_000_000),
      /\}$/,
    );
    assert.match(
      answer,
      /^HTTP\/1.1 413 .*the JSON body is declared as 1000000000 bytes; the limit is 51200 bytes \(MAX_JSON_BODY\)/s,
    );
  }
});

test('a JSON body above the limit is cut there when its length is not declared', async () => {
  const chunk = `${(8192).toString(16)}\r\n${'1'.repeat(8192)}\r\n`;
  const start = '{"input_geojson":{"a":[';
  const answer = await exchange(
    `POST /v1/transform/geojson HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${start.length.toString(16)}\r\n${start}\r\n${chunk.repeat(8)}`,
    /\}$/,
  );
  assert.match(answer, /^HTTP\/1.1 413 .*the JSON body is more than that.*MAX_JSON_BODY/s);
  while (inputs().length > 0) await ask();
});

test('a client that sends a byte at a time is served, and keeps nobody from being served', async () => {
  const body = '{"input_geojson":{"type":"Point"},"output_format":"csv"}';
  const { port, hostname } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  socket.setNoDelay(true);
  socket.write(
    `POST /v1/transform/geojson HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  for (const [i, byte] of [...body].entries()) {
    socket.write(byte);
    if (i % 8 === 0) await ask();
    if (i === 40)
      assert.equal(
        (
          await postForm(service, '/v1/transform/shp', {
            parts: [['file', 'a']],
            config: { output_format: 'csv' },
          })
        ).status,
        200,
      );
  }
  await new Promise((resolve) => socket.once('close', resolve));
  assert.match(answer, /^HTTP\/1.1 200 /);
  assert.ok(answer.endsWith(outputOf('{"type":"Point"}')));
});

const FORM_START =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\ntarget\r\n' +
  '--b\r\nContent-Disposition: form-data; name="files"; filename="b.zip"\r\n\r\nfirst half of';
const JSON_START = '{"target_geojson":{"type":"Point"},"append_geojson_list":[{"type":"Feat';

for (const [name, path, type, start] of [
  ['a form', '/v1/transform/shp/append', FORM, FORM_START],
  ['a JSON body', '/v1/transform/geojson/append', 'application/json', JSON_START],
] as const)
  test(`nothing is left of ${name} whose client goes away`, async () => {
    while (inputs().length > 0) await ask();
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 9999\r\n\r\n${start}`,
    );
    while (inputs().length < 2) await ask();
    socket.destroy();
    while (inputs().length > 0) await ask();
  });

test('nothing is left of a form that is refused after its files have come', async () => {
  const response = await postForm(service, '/v1/transform/csv/merge', {
    parts: [
      ['files', 'a'],
      ['files', 'b'],
      ['config', '{"output_format":"csv","input_crs_mapping":["EPSG:4326"]}'],
    ],
  });
  await expectProblem(response, 400, /'input_crs_mapping' lists 1 CRS for 2 files/);
  assert.deepEqual(inputs(), []);
});

test('a full queue and a service that stops say when to come again, before the body', async () => {
  await using full = await startTestService({ settings: { MAX_QUEUE: '1', RUNNERS: '1' } });
  await submitJob(full, { file: 'wait 60000' });
  while (full.service.runningCount === 0) await ask();
  await submitJob(full, { file: 'waits for the first' });
  const busy = /^HTTP\/1.1 503 .*retry-after: \d.*the queue is full \(1 job\)/is;
  for (const path of paths)
    assert.match(await exchangeWith(full.url, head(path, FORM, 10), /\}$/), busy, path);
  await full.service.stop();
  const stopping = /^HTTP\/1.1 503 .*retry-after: \d.*shutting down/is;
  for (const path of paths)
    assert.match(await exchangeWith(full.url, head(path, FORM, 10), /\}$/), stopping, path);
});
