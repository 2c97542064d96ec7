/** The pages for converting files over HTTP: headers, who may submit, limits, and the commands that results show. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { ADMIN } from '../../../../test/support/account-area.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { startFileHost } from '../../../../test/support/file-host.ts';
import { ENTRANCE } from '../../../../test/support/program.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';
import { ANY_OWNER, type JobState } from '../../src/jobs/job.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

type Fields = Readonly<Record<string, string>>;
type NamedFile = readonly [name: string, content: string | Uint8Array<ArrayBuffer>];

const GEOJSON: NamedFile = [
  'a.geojson',
  '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[8,50]}}]}',
];

function send(
  { url }: TestService,
  files: readonly NamedFile[],
  fields: Fields = {},
  headers: Fields = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, content] of files) form.append('file', new Blob([content]), name);
  const all = { action: 'convert', output_format: 'gpkg', ...fields };
  for (const [name, value] of Object.entries(all)) form.append(name, value);
  const sent = { origin: url, ...headers };
  return fetch(`${url}/`, { method: 'POST', body: form, headers: sent, redirect: 'manual' });
}

function jobsOf(service: TestService, state: JobState | null = null): Promise<readonly object[]> {
  return service.service.jobsOf(ANY_OWNER).list({ state, operation: null }, null, 100);
}

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

test('pages load their style alone, run nothing and are kept by nobody', async () => {
  // The start page of the workspace has scripts.
  await using service = await startTestService({ settings: { WEB: 'form' } });
  const submitted = await send(service, [GEOJSON]);
  assert.equal(submitted.status, 303);
  for (const [path, status] of [
    ['/', 200],
    [submitted.headers.get('location') ?? '', 200],
    ['/jobs/unknown', 404],
    ['/jobs?ids=unknown', 404],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(service.url + path, { method });
      assert.equal(response.status, status, path);
      assert.equal(response.headers.get('content-security-policy'), POLICY);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('referrer-policy'), 'same-origin');
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      const text = await response.text();
      if (method === 'HEAD') assert.equal(text, '');
      else assert.doesNotMatch(text, / style=|<style|<script| on\w+=/);
    }
  }
});

test('below another path every link leads there, and retention and limits are those of the settings', async () => {
  const settings = {
    BASE_URL: 'https://example.org/mill',
    OUTPUT_RETENTION: '90 min',
    RECORD_RETENTION: '3 d',
    MAX_UPLOAD: '2 MiB',
  };
  await using service = await startTestService({ settings });
  const headers = { origin: 'https://example.org' };
  const submitted = await send(service, [GEOJSON], {}, headers);
  const location = submitted.headers.get('location') ?? '';
  assert.match(location, /^\/mill\/jobs\/[\w-]+$/);
  await service.ended(location.split('/').at(-1) ?? '');
  for (const path of ['/', location.replace('/mill', '')]) {
    const text = await (await fetch(service.url + path)).text();
    const links = [...text.matchAll(/(?:action|href)="([^"#]+)/g)].map(([, target]) => target);
    assert.ok(links.length >= 8);
    for (const link of links) assert.match(link, /^\/mill\//);
  }
  const page = await (await fetch(`${service.url}/`)).text();
  assert.match(page, /example\.org\) and nowhere else.*outputs 90 minutes and reports 3 days after that/);
  assert.match(page, /2\.1 MB/);
});

test('an open service takes no form from pages of other origins', async () => {
  await using service = await startTestService();
  for (const origin of ['https://evil.example', 'null']) {
    const response = await send(service, [GEOJSON], {}, { origin });
    assert.equal(response.status, 403, origin);
    assert.match(await response.text(), /<h1>/);
  }
  assert.equal((await jobsOf(service)).length, 0);
});

test('errors are pages that keep what was entered and say what to do', async () => {
  await using service = await startTestService();
  const cases: readonly (readonly [
    files: readonly NamedFile[],
    fields: Fields,
    status: number,
    text: RegExp,
  ])[] = [
    [[['', '']], {}, 400, /No file was chosen/],
    [[['x.geojson', '']], {}, 400, /empty/],
    [[['x.shp', 'x']], {}, 400, /zip all of its files together/],
    [[['x.xyz', 'x']], {}, 400, /does not show its format.*Supported: GeoJSON \(\.geojson, \.json\)/],
    [[['x.ods', 'x']], {}, 400, /not supported/],
    [[GEOJSON], { output_format: 'gml' }, 400, /Convert to.*unknown format/],
    [
      [GEOJSON],
      { output_crs: 'nonsense beyond words' },
      400,
      /CRS of the output.*unknown coordinate reference system/,
    ],
    [[GEOJSON], { decimals: '3' }, 400, /Decimal places.*GeoJSON, DXF, CSV/],
    [[GEOJSON], { decimals: 'many', output_format: 'csv' }, 400, /Decimal places.*must be a number/],
    [[GEOJSON], { tolerance: '-5' }, 400, /Simplify by|tolerance/],
  ];
  for (const [files, fields, status, text] of cases) {
    const response = await send(service, files, { output_crs: 'EPSG:3857', layer: '"><b>', ...fields });
    const page = (await response.text()).replaceAll('&#39;', "'");
    assert.equal(response.status, status, page);
    assert.match(page, text);
    assert.match(page, /role="alert"/);
    assert.match(page, /<input type="file"/);
    assert.doesNotMatch(page, /"><b>/);
    if (fields.output_crs === undefined && files[0][1] !== '')
      assert.match(page, /id="output_crs" name="output_crs" value="EPSG:3857"/);
  }
  const other = await fetch(`${service.url}/`, {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(other.status, 415);
  assert.match(await other.text(), /<input type="file"/);
  assert.equal((await jobsOf(service)).length, 0);
});

test('a file is fetched by its URL under the rules of the API, beside files that were chosen', async () => {
  await using host = await startFileHost({
    '/b.geojson': (_request, response) => void response.end(GEOJSON[1]),
    '/data': (_request, response) => void response.end(GEOJSON[1]),
  });
  const settings = {
    INPUT_URL_HOSTS: `127.0.0.1:${host.port}`,
    INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
    WEB: 'form',
  };
  await using service = await startTestService({ settings });
  const form = await (await fetch(service.url)).text();
  assert.match(form, /<input type="text" id="input_url" name="input_url" value="" inputmode="url"/);
  assert.doesNotMatch(form, /<input type="file"[^>]* required/);
  const none: NamedFile = ['', ''];
  const urls: readonly Fields[] = [
    { input_url: ` ${host.url}/b.geojson?key=secret#there ` },
    { input_url: `${host.url}/data`, input_format: 'geojson' },
  ];
  for (const fields of urls) {
    const submitted = await send(service, [none], fields);
    assert.equal(submitted.status, 303, await submitted.text());
    const page = await (await fetch(service.url + submitted.headers.get('location'))).text();
    assert.match(page, /<h1>(?:b\.geojson|data)<\/h1>/);
    assert.doesNotMatch(page, /secret|Choose the file again/);
  }
  assert.deepEqual(
    host.requests.map(({ url }) => url),
    ['/b.geojson?key=secret', '/data'],
  );
  const both = await send(service, [GEOJSON], { input_url: `${host.url}/b.geojson` });
  assert.match(both.headers.get('location') ?? '', /^\/jobs\?ids=[\w-]+,[\w-]+$/);
  const accepted = (await jobsOf(service)).length;
  assert.equal(accepted, 4);
  for (const [url, text] of [
    ['', /No file was chosen; choose at least one, or enter a URL/],
    ['https://example.org/b.geojson', /not fetched from 'example\.org'/],
    ['ftp://example.org/b.geojson', /'URL of a file or an ArcGIS layer' is not a URL.*must begin with https/],
    [`${host.url}/b.geojson?${'a'.repeat(9000)}`, /at most 8192 characters/],
    [`${host.url}/data`, /does not show its format/],
  ] as const) {
    const response = await send(service, [none], { input_url: url });
    const page = (await response.text()).replaceAll('&#39;', "'");
    assert.equal(response.status, 400, page);
    assert.match(page, text);
    assert.ok(page.includes(`name="input_url" value="${url}"`), page);
  }
  assert.equal((await jobsOf(service)).length, accepted);
});

test('where no host is allowed, the form has no field for URLs, and a URL is refused', async () => {
  await using service = await startTestService({ settings: { WEB: 'form' } });
  const form = await (await fetch(service.url)).text();
  assert.doesNotMatch(form, /input_url/);
  assert.match(form, /<input type="file"[^>]* required/);
  const response = await send(service, [GEOJSON], { input_url: 'https://example.org/b.geojson' });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /is not enabled on this service/);
  assert.equal((await jobsOf(service)).length, 0);
});

test('a form that is too large, or has too many files, is refused with the limit', async () => {
  await using service = await startTestService({ settings: { MAX_UPLOAD: '1 MiB', MAX_FILES: '2' } });
  const large: NamedFile = ['large.geojson', ' '.repeat(4_000_000)];
  for (const [files, status, text] of [
    [[large], 413, /MAX_UPLOAD/],
    [[['half.geojson', ' '.repeat(1_100_000)]], 413, /MAX_UPLOAD/],
    [[GEOJSON, GEOJSON, GEOJSON], 413, /MAX_FILES/],
  ] as readonly (readonly [readonly NamedFile[], number, RegExp])[]) {
    const response = await send(service, files);
    const page = await response.text();
    assert.equal(response.status, status, page);
    assert.match(page, text);
    assert.match(page, /<input type="file"/);
  }
  assert.match(await (await fetch(service.url)).text(), /At most 2 files and 1\.0 MB/);
  assert.equal((await jobsOf(service)).length, 0);
});

test('where only some files find room, those are jobs and the page says so', async () => {
  await using service = await startTestService({ settings: { MAX_QUEUE: '1', RUNNERS: '1' } });
  const slow: NamedFile = ['slow.geojson', 'wait 20000'];
  const response = await send(service, [slow, slow, slow, slow]);
  assert.equal(response.status, 503);
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
  const accepted = (await jobsOf(service)).length;
  assert.ok(accepted >= 1 && accepted < 4);
  assert.ok((await response.text()).includes(`The first ${accepted} of the files</a> were accepted`));
});

test('where there is no room for another job, the page says so before files are received', async () => {
  await using service = await startTestService({ settings: { MAX_QUEUE: '1', RUNNERS: '1' } });
  const slow: NamedFile = ['slow.geojson', 'wait 20000'];
  // A job that the runner has just taken leaves its place in the queue to another one.
  await until('a job runs and another one waits', async () => {
    await send(service, [slow]);
    const [running, waiting] = await Promise.all([jobsOf(service, 'RUNNING'), jobsOf(service, 'QUEUED')]);
    return running.length === 1 && waiting.length === 1;
  });
  for (let i = 0; i < 2; i++) {
    const response = await send(service, [GEOJSON]);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /<input type="file"/);
  }
});

test('with credentials a form needs a session, its token and its origin', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const { url } = service;
  const anonymous = await send(service, [GEOJSON]);
  assert.equal(anonymous.headers.get('location'), '/account/sign-in?next=%2F');
  assert.doesNotMatch(await (await fetch(`${url}/`)).text(), /type="file"/);

  const cookies = await signedIn(service);
  const page = await (await fetch(`${url}/`, { headers: { cookie: cookies } })).text();
  const token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  assert.notEqual(token, '');
  const attempts: readonly (readonly [fields: Fields, headers: Fields])[] = [
    [{}, { cookie: cookies }],
    [{ form_token: 'wrong' }, { cookie: cookies }],
    [{ form_token: token }, { cookie: cookies, origin: 'https://evil.example' }],
    [{ form_token: token }, { cookie: cookies, 'sec-fetch-site': 'cross-site' }],
  ];
  for (const [fields, headers] of attempts)
    assert.equal((await send(service, [GEOJSON], fields, headers)).status, 403, JSON.stringify(fields));
  assert.equal((await jobsOf(service)).length, 0);

  const accepted = await send(service, [GEOJSON], { form_token: token }, { cookie: cookies });
  const location = accepted.headers.get('location') ?? '';
  assert.match(location, /^\/jobs\//);
  const ask = async (path: string, headers: Fields = {}) =>
    (await fetch(url + path, { headers, redirect: 'manual' })).status;
  assert.equal(await ask(location, { cookie: cookies }), 200);
  assert.equal(await ask(`${location}/output`, { cookie: cookies }), 200);
  assert.equal(await ask(location), 303);
  assert.equal(await ask(`${location}/output`), 401);
  const removed = await fetch(`${url}${location}/remove`, {
    method: 'POST',
    body: new URLSearchParams({}),
    headers: { cookie: cookies, origin: url },
    redirect: 'manual',
  });
  assert.equal(removed.status, 403);
});

/** The cookies of an administrator who has just been created. */
async function signedIn({ url, setupLink }: TestService): Promise<string> {
  const first = await fetch(setupLink ?? '');
  const cookie = cookiesOf(first);
  const page = await first.text();
  const value = (name: string): string => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';
  const { email, password } = ADMIN;
  const body = new URLSearchParams({
    form_token: value('form_token'),
    token: value('token'),
    ...{ email, name: 'Ada', password, repeated: password },
  });
  const headers = { origin: url, cookie };
  return cookiesOf(
    await fetch(`${url}/account/setup`, { method: 'POST', body, headers, redirect: 'manual' }),
  );
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
}

test('the commands of a result give the same bytes', async () => {
  await using service = await startTestService({ runner: null });
  const cases: readonly (readonly [sample: string, name: string, fields: Fields])[] = [
    ['harbour.gpkg', "it's; a, name.gpkg", { output_format: 'csv', output_crs: 'EPSG:3857', decimals: '2' }],
    [
      'harbour.csv',
      'harbour.csv',
      { output_format: 'geojsonl', input_crs: 'EPSG:25832', tolerance: '0,5', units: 'meters' },
    ],
    ['harbour.zip', '-odd.zip', { output_format: 'dxf', output_crs: '25832' }],
    ['harbour.geojson', 'plain.txt', { output_format: 'csv', input_format: 'geojson', layer: 'plain' }],
  ];
  for (const [sample, name, fields] of cases) {
    using workspace = makeWorkspace();
    const content = readFileSync(join(ROOT, 'samples', sample));
    const response = await send(service, [[name, content]], fields);
    const location = response.headers.get('location') ?? '';
    await service.ended(location.split('/').at(-1) ?? '');
    const page = await (await fetch(service.url + location)).text();
    const output = await (await fetch(`${service.url}${location}/output`)).bytes();
    const commands = [...page.matchAll(/<code class="whole">([^<]+)<\/code>/g)].map(([, text]) =>
      unescaped(text),
    );
    assert.equal(commands.length, 2, page);
    copyFileSync(join(ROOT, 'samples', sample), join(workspace.path, name));
    for (const command of commands) {
      const before = new Set(readdirSync(workspace.path));
      const shell = command.replace(/^geomill /, `${process.execPath} ${ENTRANCE} `);
      await run('sh', ['-c', shell], { cwd: workspace.path });
      const [made] = readdirSync(workspace.path).filter((one) => !before.has(one));
      assert.deepEqual(readFileSync(join(workspace.path, made)), Buffer.from(output), command);
      await run('rm', ['--', made], { cwd: workspace.path });
    }
  }
});

test('an output is clipped to a file, one at a time; a clip field without a file counts for nothing', async () => {
  await using service = await startTestService({ runner: null });
  const content = readFileSync(join(ROOT, 'samples/harbour.gpkg'));
  const form = (files: number, mask: NamedFile | null, fields: Fields): FormData => {
    const data = new FormData();
    for (let i = 0; i < files; i++) data.append('file', new Blob([content]), `harbour${i}.gpkg`);
    data.append('mask', new Blob([mask?.[1] ?? '']), mask?.[0] ?? '');
    for (const [name, value] of Object.entries({ action: 'convert', output_format: 'gpkg', ...fields }))
      data.append(name, value);
    return data;
  };
  const post = (body: FormData) =>
    fetch(service.url, { method: 'POST', body, headers: { origin: service.url }, redirect: 'manual' });
  const ring = '[8.5,53.5],[8.575,53.5],[8.575,53.6],[8.5,53.6],[8.5,53.5]';
  const mask: NamedFile = ['west.geojson', `{"type":"Polygon","coordinates":[[${ring}]]}`];
  const wrong: NamedFile = ['lines.gpkg', content];
  const clipped = await post(form(1, mask, { output_crs: '25832' }));
  const job = await service.ended((clipped.headers.get('location') ?? '').split('/').at(-1) ?? '');
  assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
  const text = await (await fetch(`${service.url}/jobs/${job.id}`)).text();
  assert.match(text, /1\. clip/);
  assert.doesNotMatch(text, /As a command/);
  const failed = await post(form(1, wrong, {}));
  const reason = await (await fetch(service.url + failed.headers.get('location'))).text();
  assert.match(reason, /&#39;Clip to&#39; has a LineString; a mask has polygons alone/);
  assert.equal((await post(form(2, mask, {}))).status, 400);
  // An inspection does not use the mask.
  const inspected = await post(form(1, mask, { action: 'inspect' }));
  await service.ended((inspected.headers.get('location') ?? '').split('/').at(-1) ?? '');
  const several = await post(form(2, null, {}));
  assert.match(several.headers.get('location') ?? '', /^\/jobs\?ids=/);
  for (const id of (several.headers.get('location') ?? '').split('=')[1].split(','))
    assert.equal((await service.ended(id)).state, 'SUCCESS');
  // Inputs are removed after the end is recorded.
  await until(
    'no input is left',
    () => readdirSync(join(service.config.dataDirectory, 'inputs')).length === 0,
  );
});

test('the commands of an inspection work, and the result is on the page', async () => {
  await using service = await startTestService({ runner: null });
  using workspace = makeWorkspace();
  const content = readFileSync(join(ROOT, 'samples/harbour.csv'));
  const response = await send(service, [['harbour.csv', content]], { action: 'inspect', input_crs: '25832' });
  const location = response.headers.get('location') ?? '';
  await service.ended(location.split('/').at(-1) ?? '');
  const page = await (await fetch(service.url + location)).text();
  assert.match(page, /EPSG:25832, ETRS89 \/ UTM zone 32N<\/b>, in metres, as you entered/);
  assert.match(page, /id="input_crs" name="input_crs" value="EPSG:25832"/);
  const [curl, info] = [...page.matchAll(/<code class="whole">([^<]+)<\/code>/g)].map(([, text]) =>
    unescaped(text),
  );
  copyFileSync(join(ROOT, 'samples/harbour.csv'), join(workspace.path, 'harbour.csv'));
  const output = await (await fetch(`${service.url}${location}/output`)).text();
  assert.equal((await run('sh', ['-c', curl], { cwd: workspace.path })).stdout, output);
  const geomill = info.replace(/^geomill /, `${process.execPath} ${ENTRANCE} `);
  assert.match((await run('sh', ['-c', geomill], { cwd: workspace.path })).stdout, /EPSG:25832/);
});

test('an upload that breaks off, or whose token is wrong, leaves no file behind', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const cookie = await signedIn(service);
  await send(service, [GEOJSON], { form_token: 'wrong' }, { cookie });
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const head = [
    'POST / HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Origin: ${service.url}`,
    `Cookie: ${cookie}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 100000',
  ];
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.geojson"\r\n\r\n{';
  socket.write(`${head.join('\r\n')}\r\n\r\n${part}`);
  const stored = (): string[] => readdirSync(join(service.config.dataDirectory, 'inputs'));
  await until('an input is stored', () => stored().length > 0);
  socket.destroy();
  await until('no input is left', () => stored().length === 0);
  assert.equal((await jobsOf(service)).length, 0);
});

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
