/** Resumable uploads over real HTTP: the tus protocol, forms, owners and limits. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { TestCredentials } from '../../../../test/support/credentials.ts';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { expectProblem } from '../../../../test/support/problem.ts';
import { exchange } from '../../../../test/support/raw-http.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { FAKE_RUNNER, startTestService, type TestService } from '../../../../test/support/service.ts';
import {
  appendTo,
  base64,
  beginPatch,
  createUpload,
  newUpload,
  offsetOf,
  PIECE,
  TUS,
  type UploadDocument,
  uploadForm,
} from '../../../../test/support/tus.ts';
import { until } from '../../../../test/support/until.ts';

const service = await startTestService({ settings: { MAX_UPLOAD: '1000000' } });
test.after(() => service[Symbol.asyncDispose]());

/** Empty before the first byte, when there is no file yet. */
function stored({ config }: TestService, url: string): string {
  const path = join(config.dataDirectory, 'uploads', url.split('/').at(-1)!);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

test('OPTIONS says what is supported, without credentials', async () => {
  const { status, headers } = await fetch(`${service.url}/v1/uploads`, { method: 'OPTIONS' });
  assert.equal(status, 204);
  assert.equal(headers.get('tus-resumable'), '1.0.0');
  assert.equal(headers.get('tus-version'), '1.0.0');
  assert.equal(headers.get('tus-max-size'), '1000000');
  assert.equal(
    headers.get('tus-extension'),
    'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination',
  );
  assert.equal(headers.get('tus-checksum-algorithm'), 'sha1,sha256,md5');
});

test('an upload is created, continued piece by piece, read and deleted', async () => {
  const metadata = `filename ${base64('Straße 1.geojson')},filetype ${base64('text/plain')},empty`;
  const created = await createUpload(service, { 'upload-length': '11', 'upload-metadata': metadata });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get('upload-offset'), '0');
  const url = created.headers.get('location')!;
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/v1\/uploads\/[0-9a-f-]{36}$/);
  assert.equal((await appendTo(url, 0, 'hello ')).headers.get('upload-offset'), '6');
  const head = await fetch(url, { method: 'HEAD', headers: TUS });
  assert.equal(head.status, 200);
  const sent = (name: string) => head.headers.get(name);
  assert.deepEqual(
    ['upload-offset', 'upload-length', 'upload-metadata', 'cache-control', 'tus-resumable'].map(sent),
    ['6', '11', metadata, 'no-store', '1.0.0'],
  );
  const hours = (Date.parse(sent('upload-expires')!) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24);
  const last = await appendTo(url, 6, 'world');
  assert.equal(last.status, 204);
  const found = (await (await fetch(url)).json()) as UploadDocument;
  assert.equal(found.url, url);
  assert.deepEqual(
    [found.name, found.byte_length, found.offset, found.complete],
    ['Straße 1.geojson', 11, 11, true],
  );
  assert.equal(stored(service, url), 'hello world');
  const list = (await (await fetch(`${service.url}/v1/uploads?limit=1`)).json()) as {
    uploads: UploadDocument[];
  };
  assert.deepEqual(list.uploads, [found]);
  const deleted = await fetch(url, { method: 'DELETE', headers: TUS });
  assert.equal(deleted.status, 204);
  await expectProblem(await fetch(url), 404, /there is no upload/);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 404);
  assert.equal((await appendTo(url, 11, 'x')).status, 404);
  const names = readdirSync(join(service.config.dataDirectory, 'uploads'));
  assert.ok(!names.includes(found.id));
});

test('the first bytes can come with the creation, the length later, and an empty file is complete', async () => {
  const whole = await createUpload(service, { 'upload-length': '5' }, 'bytes');
  assert.equal(whole.headers.get('upload-offset'), '5');
  assert.equal(((await whole.json()) as UploadDocument).complete, true);
  const deferred = await createUpload(service, { 'upload-defer-length': '1' }, 'abc');
  const url = deferred.headers.get('location')!;
  assert.equal(deferred.headers.get('upload-defer-length'), '1');
  assert.equal((await appendTo(url, 3, 'def')).headers.get('upload-defer-length'), '1');
  await expectProblem(
    await appendTo(url, 6, '', { 'upload-length': '5' }),
    400,
    /'Upload-Length' is 5, but 6/,
  );
  const last = await appendTo(url, 6, 'gh', { 'upload-length': '8' });
  assert.deepEqual([last.headers.get('upload-offset'), last.headers.get('upload-length')], ['8', '8']);
  await expectProblem(
    await appendTo(url, 8, '', { 'upload-length': '9' }),
    400,
    /'Upload-Length' is 9, but the length of the upload is 8/,
  );
  assert.equal(stored(service, url), 'abcdefgh');
  const empty = await createUpload(service, { 'upload-length': '0' });
  assert.equal(((await empty.json()) as UploadDocument).complete, true);
});

test('a form with one file is an upload', async () => {
  const found = await uploadForm(service, 'some bytes', '../../x/été.gpkg');
  assert.deepEqual([found.name, found.byte_length, found.complete], ['été.gpkg', 10, true]);
  assert.equal(stored(service, found.url), 'some bytes');
  const form = async (...parts: [string, string][]): Promise<Response> => {
    const body = new FormData();
    for (const [name, content] of parts) body.append(name, new Blob([content]), 'a.csv');
    return fetch(`${service.url}/v1/uploads`, { method: 'POST', body });
  };
  const count = () => service.service.uploads.count();
  const before = await count();
  await expectProblem(await form(), 400, /part 'file' is missing; the form has no parts/);
  await expectProblem(await form(['fil', 'x']), 400, /part 'file' is missing; the form has 'fil'/);
  await expectProblem(await form(['file', 'x'], ['file', 'y']), 400, /part 'file' was sent more than once/);
  await expectProblem(await form(['file', '']), 400, /a\.csv is empty/);
  await expectProblem(
    await form(['file', 'x'.repeat(1_000_001)]),
    413,
    /limit is 1000000 bytes \(MAX_UPLOAD\)/,
  );
  await expectProblem(await form(['file', 'x'.repeat(2_000_000)]), 413, /MAX_UPLOAD/);
  assert.equal(await count(), before, 'what was refused left an upload');
});

test('what cannot be received is refused before the body is asked for', async () => {
  const ask = (method: string, path: string, more: string): Promise<string> =>
    exchange(
      service.url,
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${more}\r\n`,
      /\}$|100 Continue/,
    );
  const length = (bytes: number): string => `Content-Length: ${bytes}\r\n`;
  const form = 'Content-Type: multipart/form-data; boundary=b\r\n';
  const piece = 'Content-Type: application/offset+octet-stream\r\nTus-Resumable: 1.0.0\r\n';
  const rows: [string, string, RegExp][] = [
    ['POST', form + length(10), /100 Continue/],
    ['POST', form + length(2_000_000), /^HTTP\/1.1 413 .*MAX_UPLOAD/s],
    ['POST', `Content-Type: text/plain\r\n${length(10)}`, /^HTTP\/1.1 415 .*send multipart\/form-data or/s],
    ['POST', piece + length(10), /^HTTP\/1.1 400 .*'Upload-Length' is required/s],
    ['POST', `${piece}Upload-Length: 10\r\n${length(10)}`, /100 Continue/],
    ['PATCH', piece + length(10), /^HTTP\/1.1 400 .*'Upload-Offset' is required/s],
    ['PATCH', `${piece}Upload-Offset: 0\r\n${length(1_000_001)}`, /^HTTP\/1.1 413 .*MAX_UPLOAD/s],
    ['PATCH', `${piece}Upload-Offset: 999999\r\n${length(2)}`, /^HTTP\/1.1 413 .*MAX_UPLOAD/s],
  ];
  for (const [method, headers, expected] of rows)
    assert.match(
      await ask(method, `/v1/uploads${method === 'PATCH' ? '/x' : ''}`, headers),
      expected,
      headers,
    );
});

test('every wrong header of a creation is named', async () => {
  const length = { 'upload-length': '5' };
  const rows: [Record<string, string>, number, RegExp][] = [
    [{}, 400, /'Upload-Length' is required/],
    [{ 'upload-length': '-1' }, 400, /'Upload-Length' is '-1', but must be a number of bytes/],
    [{ 'upload-length': '5e3' }, 400, /'Upload-Length' is '5e3'/],
    [{ 'upload-length': '9007199254740993' }, 400, /must be a number of bytes/],
    [{ 'upload-length': '1000001' }, 413, /1000001 bytes; the limit is 1000000 bytes \(MAX_UPLOAD\)/],
    [{ 'upload-defer-length': '2' }, 400, /'Upload-Defer-Length' is '2', but must be 1/],
    [{ ...length, 'upload-defer-length': '1' }, 400, /contradicts 'Upload-Length'/],
    [{ ...length, 'tus-resumable': '0.2.2' }, 412, /'Tus-Resumable' is '0\.2\.2'; send 1\.0\.0/],
    [{ ...length, 'upload-metadata': 'filename not-base64!' }, 400, /pairs of a key and a value in Base64/],
    [{ ...length, 'upload-metadata': 'filename YQ' }, 400, /in Base64/],
    [{ ...length, 'upload-metadata': 'a b c' }, 400, /in Base64/],
    [{ ...length, 'upload-metadata': ',' }, 400, /in Base64/],
    [{ ...length, 'upload-metadata': 'a YQ==,a YQ==' }, 400, /has the key 'a' more than once/],
    [{ ...length, 'upload-metadata': `filename ${base64(Buffer.of(0xff, 0xfe))}` }, 400, /not UTF-8/],
    [{ ...length, 'upload-metadata': `x ${base64('y'.repeat(4000))}` }, 400, /characters \(limit 4096\)/],
  ];
  const idsOf = async () => {
    const { uploads } = (await (await fetch(`${service.url}/v1/uploads`)).json()) as {
      uploads: { id: string }[];
    };
    return uploads.map(({ id }) => id);
  };
  const before = await idsOf();
  for (const [headers, status, detail] of rows)
    await expectProblem(await createUpload(service, headers), status, detail);
  const plain = await fetch(`${service.url}/v1/uploads`, { method: 'POST', headers: length });
  assert.deepEqual(
    [plain.headers.get('tus-version'), plain.headers.get('tus-resumable')],
    ['1.0.0', '1.0.0'],
  );
  await expectProblem(plain, 412, /'Tus-Resumable' is missing/);
  const longBody = await createUpload(service, { 'upload-length': '3' }, 'four');
  await expectProblem(longBody, 400, /'Upload-Length' is 3, less than the 4 bytes/);
  const typed = await createUpload(service, { ...length, 'content-type': 'text/plain' }, 'five!');
  await expectProblem(
    typed,
    415,
    /'text\/plain' is not supported here; send multipart\/form-data or application\/offset/,
  );
  // Those of other tests may end meanwhile.
  assert.deepEqual(
    (await idsOf()).filter((id) => !before.includes(id)),
    [],
  );
});

test('file names with paths, markup or control characters become plain names', async () => {
  const names: [string, string | null][] = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.gpkg', 'a.gpkg'],
    ['<img src=x onerror=alert(1)>.csv', '<img src=x onerror=alert(1)>.csv'],
    ['\u202egpj.csv\u0000', 'gpj.csv'],
    ['..', null],
    ['x'.repeat(2000), 'x'.repeat(255)],
  ];
  for (const [given, expected] of names) {
    const url = await newUpload(service, 1, { 'upload-metadata': `filename ${base64(given)}` });
    assert.equal(((await (await fetch(url)).json()) as UploadDocument).name, expected);
  }
  const head = `POST /v1/uploads HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 1\r\nUpload-Metadata: filename ${'A'.repeat(10_000_000)}\r\n\r\n`;
  assert.match(await exchange(service.url, head, /\}$/), /^HTTP\/1.1 431 /);
  const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="${'A'.repeat(10_000_000)}"\r\n\r\nx\r\n--b--\r\n`;
  const response = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    body: form,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  assert.equal(response.status, 413);
});

test('every wrong request to continue is refused and changes nothing', async () => {
  const url = await newUpload(service, 10);
  assert.equal((await appendTo(url, 0, 'abcd')).status, 204);
  const form = { 'content-type': 'multipart/form-data; boundary=b' };
  const override = { ...TUS, 'upload-offset': '4', 'x-http-method-override': 'PATCH' };
  const rows: [() => Promise<Response>, number, RegExp][] = [
    [() => appendTo(url, 3, 'x'), 409, /has 4 bytes, but the request continues at 3/],
    [() => appendTo(url, 5, 'x'), 409, /continues at 5; get the offset with HEAD/],
    // The length of the upload is checked only after the offset.
    [() => appendTo(url, 3, 'x'.repeat(8)), 409, /has 4 bytes, but the request continues at 3/],
    [() => appendTo(url, 4, 'x', { 'upload-offset': 'four' }), 400, /'Upload-Offset' is 'four'/],
    [() => appendTo(url, 4, 'x'.repeat(7)), 413, /has a length of 10 bytes, and the request sends more/],
    [() => appendTo(url, 4, 'x', { 'tus-resumable': '2.0.0' }), 412, /send 1\.0\.0/],
    [() => appendTo(url, 4, 'x', { 'content-type': 'application/octet-stream' }), 415, /application\/offset/],
    [() => appendTo(url, 4, 'x', { 'content-encoding': 'gzip' }), 415, /gzip/],
    [
      () => appendTo(url, 4, 'x', form),
      415,
      /'multipart\/form-data; boundary=b' .*; send application\/offset/,
    ],
    [
      () => fetch(url, { method: 'POST', headers: { ...override, ...form }, body: 'x' }),
      415,
      /; send application\/offset/,
    ],
    [() => appendTo(url, 4, 'x', { 'upload-length': '11' }), 400, /the length of the upload is 10/],
    [
      () => appendTo(url, 4, 'x', { 'upload-checksum': 'crc32 AAAA' }),
      400,
      /algorithm 'crc32'; supported: sha1/,
    ],
    [() => appendTo(url, 4, 'x', { 'upload-checksum': 'sha1 AAAA' }), 400, /'sha1' and 20 bytes in Base64/],
    [() => appendTo(url, 4, 'x', { 'upload-checksum': 'md5' }), 400, /'md5' and 16 bytes/],
    [() => fetch(url, { method: 'PATCH', headers: PIECE, body: 'x' }), 400, /'Upload-Offset' is required/],
    [() => fetch(url, { method: 'PATCH', body: 'x' }), 412, /'Tus-Resumable' is missing/],
    [() => fetch(url, { method: 'PUT', body: 'x' }), 405, /GET, HEAD/],
    [
      () => fetch(url, { method: 'POST', headers: PIECE, body: 'x' }),
      400,
      /'X-HTTP-Method-Override' must be/,
    ],
    [() => fetch(url, { headers: { 'tus-resumable': '3' } }), 412, /send 1\.0\.0/],
  ];
  for (const [send, status, detail] of rows) await expectProblem(await send(), status, detail);
  assert.equal(await offsetOf(url), 4);
  assert.equal(stored(service, url), 'abcd');
  // Without a length that is declared: what is too much is known only as it comes.
  const chunked = await exchange(
    service.url,
    `PATCH ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 4\r\nContent-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nxxxxxxx\r\n0\r\n\r\n`,
    /\}$/,
  );
  assert.match(chunked, /^HTTP\/1.1 413 .*has a length of 10 bytes/s);
  assert.equal(await offsetOf(url), 4);
});

test('POST stands for PATCH and DELETE where a client cannot send these', async () => {
  const url = await newUpload(service, 4);
  const patch = { ...PIECE, 'upload-offset': '0', 'x-http-method-override': 'PATCH' };
  const response = await fetch(url, { method: 'POST', headers: patch, body: 'four' });
  assert.deepEqual([response.status, response.headers.get('upload-offset')], [204, '4']);
  const remove = { ...TUS, 'x-http-method-override': 'delete' };
  assert.equal((await fetch(url, { method: 'POST', headers: remove })).status, 204);
  assert.equal((await fetch(url)).status, 404);
});

test('a piece with a checksum is stored if it has it, and discarded if not', async () => {
  for (const algorithm of ['sha1', 'sha256', 'md5']) {
    const url = await newUpload(service, 8);
    const sum = (text: string) => ({
      'upload-checksum': `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`,
    });
    assert.equal((await appendTo(url, 0, 'good', sum('good'))).status, 204);
    await expectProblem(
      await appendTo(url, 4, 'bad!', sum('good')),
      460,
      new RegExp(`the ${algorithm} checksum`),
    );
    assert.equal(await offsetOf(url), 4);
    assert.equal(stored(service, url), 'good');
    assert.equal((await appendTo(url, 4, 'more', sum('more'))).headers.get('upload-offset'), '8');
    assert.equal(stored(service, url), 'goodmore');
  }
  const before = await service.service.uploads.count();
  const wrong = { 'upload-length': '4', 'upload-checksum': `md5 ${base64(new Uint8Array(16))}` };
  await expectProblem(await createUpload(service, wrong, 'four'), 460, /md5/);
  assert.equal(await service.service.uploads.count(), before);
});

test('while one request writes, another gets 423, and what came of an interrupted one is kept', async () => {
  const url = await newUpload(service, 1000);
  const first = await beginPatch(url, 0, 1000, 'x'.repeat(300));
  await until('300 bytes are stored', async () => stored(service, url).length === 300);
  const second = await appendTo(url, 0, 'y');
  assert.match(second.headers.get('retry-after') ?? '', /^\d+$/);
  await expectProblem(second, 423, /being written by another request/);
  first.socket.destroy();
  await until('300 bytes are recorded', async () => (await offsetOf(url)) === 300);
  // The service may not know yet that the first request has ended.
  await until('the rest is accepted', async () => {
    const { status } = await appendTo(url, 300, 'z'.repeat(700));
    assert.ok(status === 204 || status === 423, `${status}`);
    return status === 204;
  });
  assert.equal(stored(service, url), 'x'.repeat(300) + 'z'.repeat(700));
});

test('two requests for the same bytes: one stores them, the other is refused', async () => {
  for (let round = 0; round < 10; round++) {
    const url = await newUpload(service, 60_000);
    const bodies = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(60_000));
    const answers = await Promise.all(bodies.map((body) => appendTo(url, 0, body)));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 204).length, 1, statuses.join());
    assert.ok(
      statuses.every((status) => [204, 409, 423].includes(status)),
      statuses.join(),
    );
    assert.equal(stored(service, url), bodies[statuses.indexOf(204)]);
  }
});

test('a deletion ends the request that writes', async () => {
  const url = await newUpload(service, 1000);
  const writing = await beginPatch(url, 0, 1000, 'x'.repeat(300));
  await until('300 bytes are stored', async () => stored(service, url).length === 300);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 204);
  await until('404 is sent', async () => writing.answer().startsWith('HTTP/1.1 404'));
  writing.socket.destroy();
});

test('a service that stops ends the request that writes, and goes on with its bytes at the next start', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  try {
    let pathname = '';
    {
      await using first = await startTestService({ dataDirectory });
      const url = await newUpload(first, 1000);
      ({ pathname } = new URL(url));
      const writing = await beginPatch(url, 0, 1000, 'x'.repeat(300));
      await until('300 bytes are stored', async () => stored(first, url).length === 300);
      await first.service.stop();
      await until('503 is sent', async () => /^HTTP\/1.1 503 .*retry-after: \d/is.test(writing.answer()));
      assert.equal((await appendTo(url, 300, 'y')).status, 503);
      writing.socket.destroy();
    }
    await using second = await startTestService({ dataDirectory });
    const url = second.url + pathname;
    assert.equal(await offsetOf(url), 300);
    assert.equal((await appendTo(url, 300, 'y'.repeat(700))).status, 204);
    assert.equal(stored(second, url), 'x'.repeat(300) + 'y'.repeat(700));
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});

test('a client that is too slow gets 408, and what it sent is kept', async () => {
  const timers = new ManualTimers();
  await using impatient = await startTestService({
    settings: { UPLOAD_TIMEOUT: '1' },
    start: { runner: FAKE_RUNNER, timers },
  });
  const url = await newUpload(impatient, 1000);
  const slow = await beginPatch(url, 0, 1000, 'x'.repeat(200));
  await until('the first bytes are stored', () => stored(impatient, url).length === 200);
  await until('the connection is closed', () => {
    // A write can meet the closed connection; beginPatch listens for that error.
    slow.socket.write('y');
    timers.pass(50);
    return slow.socket.closed;
  });
  assert.match(slow.answer(), /^HTTP\/1.1 408 .*MIN_UPLOAD_RATE/s);
  await until('the bytes are recorded', async () => (await offsetOf(url)) >= 200);
  assert.match(stored(impatient, url), /^x{200}y*$/);
});

test('uploads of another account do not exist for a client', async () => {
  await using open = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(open.config.dataDirectory);
  const key = async (...args: Parameters<TestCredentials['key']>) => ({
    apikey: (await credentials.key(...args)).secret,
  });
  const [ann, bob, reader, admin] = [
    await key('ann'),
    await key('bob'),
    await key('ann', ['jobs:read']),
    await key('root', ['jobs:read', 'jobs:write', 'admin']),
  ];
  const url = await newUpload(open, 4, ann);
  const unknown = `${open.url}/v1/uploads/00000000-0000-4000-8000-000000000000`;
  const answers = async (address: string): Promise<unknown[]> => {
    const id = address.split('/').at(-1)!;
    const responses = [
      await fetch(address, { headers: bob }),
      await appendTo(address, 0, 'x', bob),
      await fetch(address, { method: 'DELETE', headers: bob }),
    ];
    return Promise.all(
      responses.map(async (response) => [response.status, (await response.text()).replaceAll(id, 'ID')]),
    );
  };
  assert.deepEqual(await answers(url), await answers(unknown));
  const listed = async (headers: Record<string, string>): Promise<number> =>
    ((await (await fetch(`${open.url}/v1/uploads`, { headers })).json()) as { uploads: unknown[] }).uploads
      .length;
  assert.deepEqual([await listed(ann), await listed(bob)], [1, 0]);
  assert.equal((await fetch(url)).status, 401);
  assert.equal((await appendTo(url, 0, 'x', reader)).status, 403);
  assert.equal((await createUpload(open, { 'upload-length': '1', ...reader })).status, 403);
  assert.equal(await offsetOf(url, reader), 0);
  assert.equal((await appendTo(url, 0, 'four', ann)).status, 204);
  assert.equal((await appendTo(url, 0, 'four', admin)).status, 404, 'administrators do not write for others');
  assert.equal((await fetch(url, { headers: admin })).status, 200);
  assert.equal((await fetch(url, { method: 'DELETE', headers: admin })).status, 204);
});

test('the uploads of an account are limited in number and counted in its storage', async () => {
  await using limited = await startTestService({
    settings: { MAX_OWNER_UPLOADS: '2', MAX_OWNER_STORAGE: '3000' },
  });
  const first = await newUpload(limited, 2000);
  await newUpload(limited, 1);
  const third = await createUpload(limited, { 'upload-length': '1' });
  assert.match(third.headers.get('retry-after') ?? '', /^\d+$/);
  await expectProblem(third, 429, /has 2 uploads \(limit 2, MAX_OWNER_UPLOADS\)/);
  assert.equal((await fetch(first, { method: 'DELETE' })).status, 204);
  await expectProblem(
    await createUpload(limited, { 'upload-length': '3001' }),
    429,
    /no room for 3001 bytes/,
  );
  const held = async () => (await limited.service.holding('local')).storedBytes;
  const before = await held();
  const url = (await createUpload(limited, { 'upload-defer-length': '1' })).headers.get('location')!;
  assert.equal((await appendTo(url, 0, 'x'.repeat(2500))).status, 204);
  assert.equal((await held()) - before, 2500);
  await expectProblem(await appendTo(url, 2500, 'x'.repeat(600)), 429, /no room for 600 bytes/);
  assert.equal(await offsetOf(url), 2500);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 204);
  assert.equal(await held(), before);
});

test('pages of allowed origins may use the protocol', async () => {
  const origin = 'https://maps.example.org';
  await using open = await startTestService({ settings: { CORS_ORIGINS: origin } });
  const preflight = await fetch(`${open.url}/v1/uploads/x`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PATCH' },
  });
  assert.equal(preflight.status, 204);
  assert.match(String(preflight.headers.get('access-control-allow-methods')), /PATCH/);
  const allowed = String(preflight.headers.get('access-control-allow-headers')).toLowerCase();
  for (const name of [
    'tus-resumable',
    'upload-length',
    'upload-offset',
    'upload-metadata',
    'upload-checksum',
  ])
    assert.ok(allowed.split(/,\s*/).includes(name), name);
  const created = await createUpload(open, { origin, 'upload-length': '1' });
  const exposed = String(created.headers.get('access-control-expose-headers')).toLowerCase().split(/,\s*/);
  for (const name of created.headers.keys())
    if (/^(?:location|tus-|upload-)/.test(name)) assert.ok(exposed.includes(name), name);
  const options = await fetch(`${open.url}/v1/uploads`, { method: 'OPTIONS', headers: { origin } });
  assert.equal(options.headers.get('tus-max-size'), String(5 * 1024 ** 3));
});

test('uploads and their bytes are metrics', async () => {
  await using open = await startTestService();
  await uploadForm(open, 'twelve bytes');
  const metrics = await (await fetch(`${open.url}/metrics`)).text();
  assert.match(metrics, /^geomill_uploads 1$/m);
  assert.match(metrics, /^geomill_upload_bytes_total 12$/m);
});
