/** Inputs that are URLs, from a server in this process: what is whole, what is not, and what a call leaves behind. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { append, convert, type Feature, GeomillError, inspect, merge, type RunOptions, read } from '../src/library.ts'; // biome-ignore format: one line

const temporaryDirectory = mkdtempSync(join(tmpdir(), 'geomill-library-'));
const run: RunOptions = { temporaryDirectory };
const CSV = 'name,lon,lat\nNordkai,10,54\n';
const quay: Feature = { type: 'Feature', properties: { name: 'Ost' }, geometry: { type: 'Point', coordinates: [10, 54] } }; // biome-ignore format: one line
const MASK = JSON.stringify({ type: 'Polygon', coordinates: [[[9, 53], [11, 53], [11, 55], [9, 55], [9, 53]]] }); // biome-ignore format: one line

const requested: { readonly url: string; readonly authorization: string | undefined }[] = [];
/** Called when an answer that never ends has begun. */
let onStalled = (): void => {};

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/quays.csv': (response) => response.writeHead(200, { 'content-length': CSV.length }).end(CSV),
  '/download': (response) =>
    response.writeHead(200, { 'content-disposition': 'attachment; filename="kais.csv"' }).end(CSV),
  '/chunked.csv': (response) => {
    response.write(CSV);
    response.end();
  },
  '/mask.geojson': (response) => response.end(MASK),
  '/moved': (response) => response.writeHead(302, { location: 'quays.csv' }).end(),
  '/loop': (response) => response.writeHead(307, { location: '/loop' }).end(),
  '/nowhere': (response) => response.writeHead(301).end(),
  '/to-file': (response) => response.writeHead(302, { location: 'file:///etc/hostname' }).end(),
  '/to-user': (response) => response.writeHead(302, { location: 'http://a:b@127.0.0.1/' }).end(),
  '/missing': (response) => response.writeHead(404).end('not here'),
  '/empty.csv': (response) => response.end(),
  '/packed.csv': (response) => response.writeHead(200, { 'content-encoding': 'br' }).end(CSV),
  '/part.csv': (response) => response.writeHead(200, { 'content-range': 'bytes 0-3/99' }).end(CSV),
  '/cut.csv': (response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write(CSV, () => response.destroy());
  },
  '/cut-chunked.csv': (response) => {
    response.write(CSV, () => response.destroy());
  },
  // Without a length or chunks the end of the connection is that of the file.
  '/until-end.csv': (response) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${CSV}`);
  },
  '/endless.csv': (response) => {
    const more = (error?: Error | null): void => {
      if (error == null && !response.closed) response.write(CSV.repeat(1000), more);
    };
    more();
  },
  '/stalled.csv': (response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write(CSV, () => onStalled());
  },
};

const server = createServer((request, response) => {
  requested.push({ url: request.url ?? '', authorization: request.headers.authorization });
  answers[(request.url ?? '').split('?', 1)[0]](response);
});
let address = '';
let host = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  address = `http://${host}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(temporaryDirectory, { recursive: true });
});

const csv = { format: 'csv' } as const;

async function failureOf(work: Promise<unknown>): Promise<GeomillError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GeomillError, String(error));
  assert.deepEqual(readdirSync(temporaryDirectory), []);
  return error;
}

test('fetches a file whatever tells its end, and reports the host', async () => {
  for (const path of ['/quays.csv', '/download', '/chunked.csv', '/moved']) {
    for (const input of [`${address}${path}`, new URL(`${address}${path}`)]) {
      const { files, report } = await convert({ input, output: csv }, run);
      assert.equal(
        new TextDecoder().decode(await files[0].bytes()),
        'name,geom_wkt\nNordkai,POINT (10 54)\n',
      );
      assert.deepEqual(report.fetched, { host, byte_length: CSV.length });
      assert.deepEqual(report.warnings.filter(({ code }) => code.startsWith('INPUT_')), []); // biome-ignore format: one line
    }
  }
  const { files } = await convert({ input: `${address}/download`, output: { format: 'geojson' } }, run);
  assert.equal(files[0].name, 'kais.geojson');
  assert.deepEqual(readdirSync(temporaryDirectory), []);
});

test('every function that takes an input fetches it, and so does a step', async () => {
  const input = `${address}/quays.csv`;
  const named = { path: `${address}/download`, name: 'other.csv' };
  const merged = await merge({ inputs: [[quay], input, named], output: csv }, run);
  assert.deepEqual(merged.report.fetched_sources?.length, 2);
  const gpkg = await convert({ input: [quay], output: { format: 'gpkg' } }, run);
  const target = { data: await gpkg.files[0].bytes(), name: 'target.gpkg' };
  const appended = await append({ inputs: [target, input], output: { format: 'gpkg' } }, run);
  assert.equal(appended.report.features.written, 2);
  assert.equal((await inspect(input, run)).layers[0].features, 1);
  for await (const { properties } of read(input, run)) assert.equal(properties?.name, 'Nordkai');
  const mask = `${address}/mask.geojson`;
  const clipped = await convert({ input, steps: [{ type: 'clip', params: { mask } }], output: csv }, run);
  assert.equal(clipped.report.features.written, 1);
  assert.equal(clipped.report.fetched_sources?.length, 1);
});

test('a file whose end nothing shows is reported', async () => {
  const { report } = await convert({ input: `${address}/until-end.csv`, output: csv }, run);
  assert.equal(report.warnings.find(({ code }) => code === 'INPUT_END_UNKNOWN')?.severity, 'changed');
  const { warnings } = await inspect(`${address}/until-end.csv`, run);
  assert.ok(warnings.some(({ code }) => code === 'INPUT_END_UNKNOWN'));
});

const refused: Readonly<Record<string, readonly [code: string, message: RegExp]>> = {
  '/missing': ['URL_STATUS', /returned status 404/],
  '/loop': ['URL_REDIRECT', /more than 5 times/],
  '/nowhere': ['URL_REDIRECT', /without saying where to/],
  '/to-file': ['URL_REDIRECT', /to an address from which files are not fetched/],
  '/to-user': ['URL_REDIRECT', /to an address from which files are not fetched/],
  '/empty.csv': ['INPUT_EMPTY', /sent/],
  '/packed.csv': ['URL_ENCODING', /Content-Encoding/],
  '/part.csv': ['URL_PARTIAL', /a part of the file/],
  '/cut.csv': ['URL_INCOMPLETE', /closed before the whole file was received/],
  '/cut-chunked.csv': ['URL_INCOMPLETE', /closed before the whole file was received/],
};

for (const [path, [code, message]] of Object.entries(refused))
  test(`${path.slice(1)} is an error and leaves nothing behind`, async () => {
    const error = await failureOf(convert({ input: `${address}${path}?key=secret`, output: csv }, run));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /secret/);
  });

test('a URL with a password, an invalid URL, and a closed port are errors', async () => {
  const user = await failureOf(convert({ input: `http://me:secret@${host}/quays.csv`, output: csv }, run));
  assert.equal(user.code, 'URL_INVALID');
  assert.doesNotMatch(user.message, /secret/);
  assert.equal((await failureOf(convert({ input: 'http://', output: csv }, run))).code, 'URL_INVALID');
  const closed = await failureOf(convert({ input: 'http://127.0.0.1:1/a.csv', output: csv }, run));
  assert.equal(closed.code, 'URL_UNREACHABLE');
});

test('an output cannot be a URL', async () => {
  const error = await failureOf(convert({ input: [quay], output: `${address}/out.csv?key=secret` }, run));
  assert.match(error.message, /'output\.path' is the URL .* must be the path of a file/);
  assert.doesNotMatch(error.message, /secret/);
});

test('the files of a call together are at most as large as the limit', async () => {
  const limits = { fetchedBytes: CSV.length };
  const options = { ...run, limits };
  await convert({ input: `${address}/quays.csv`, output: csv }, options);
  const inputs = [`${address}/quays.csv`, `${address}/chunked.csv`];
  const works = [merge({ inputs, output: csv }, options), convert({ input: `${address}/endless.csv`, output: csv }, options)]; // biome-ignore format: one line
  for (const result of await Promise.allSettled(works)) {
    assert.ok(result.status === 'rejected' && result.reason instanceof GeomillError);
    assert.equal(result.reason.code, 'LIMIT_EXCEEDED');
    assert.match(result.reason.message, /limits\.fetchedBytes/);
  }
  assert.deepEqual(readdirSync(temporaryDirectory), []);
});

test('an abort ends a fetch at once', async () => {
  const abort = new AbortController();
  onStalled = () => abort.abort();
  const options = { ...run, signal: abort.signal };
  assert.equal(
    (await failureOf(convert({ input: `${address}/stalled.csv`, output: csv }, options))).code,
    'CANCELLED',
  );
});

test('a caller can bring credentials by a fetch of its own; otherwise none are sent', async () => {
  const own: RunOptions['fetch'] = (url, init) =>
    fetch(url, { ...init, headers: { authorization: 'Bearer key' } });
  requested.length = 0;
  await convert({ input: `${address}/quays.csv`, output: csv }, { ...run, fetch: own });
  await convert({ input: `${address}/quays.csv`, output: csv }, run);
  assert.deepEqual(requested.map(({ authorization }) => authorization), ['Bearer key', undefined]); // biome-ignore format: one line
});
