/**
 * Every route with every kind of credential. The routes are those that the router has, whoever registered them: one that
 * is not in the table fails. Those of the account area are in apps/service/test/account/table.full.test.ts.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { inputFormats } from '../../../../packages/formats/src/registry.ts';
import { apiKey, bearer, type Shown, TestCredentials } from '../../../../test/support/credentials.ts';
import { checkResponse } from '../../../../test/support/response-check.ts';
import { GEOJSON_TO_GEOJSON, startTestService } from '../../../../test/support/service.ts';
import type { Scope } from '../../src/accounts/principal.ts';
import type { RouteName } from '../../src/http/build-app.ts';

interface Row {
  /** Null: for everybody, whatever they show. */
  readonly scope: Scope | null;
  /** Status for who may. */
  readonly right: number;
  /** Status for who may as well, but has no such job. Default: as `right`, for there is no job in the path. */
  readonly other?: number;
  readonly body?: () => RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A piece of an upload without bytes, which changes nothing. */
const NO_BYTES = {
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
};

const form = (parts: readonly [string, string | Blob][]): FormData => {
  const data = new FormData();
  for (const [name, value] of parts) data.append(name, value);
  return data;
};
const file = (): Blob => new Blob(['some input']);
const FLAT = JSON.stringify({
  input_crs: 'EPSG:4326',
  append_crs_mapping: 'EPSG:4326',
  input_crs_mapping: 'EPSG:4326',
  output_format: 'geojson',
});

const read = (right: number, other?: number): Row => ({ scope: 'jobs:read', right, other });
const forAll = (right: number): Row => ({ scope: null, right });
const transform = (...names: string[]): Row => ({
  scope: 'jobs:write',
  right: 200,
  body: () => form([['config', FLAT], ...names.map((name): [string, Blob] => [name, file()])]),
});

const TABLE: Readonly<Record<string, Row>> = {
  'POST /transform': {
    scope: 'jobs:write',
    right: 202,
    body: () =>
      form([
        ['config', JSON.stringify(GEOJSON_TO_GEOJSON)],
        ['input_file', file()],
      ]),
  },
  'GET /result/status/:job_id': read(200, 404),
  'GET /result/output/:job_id': read(200, 404),
  'GET /v1/jobs': read(200),
  'GET /v1/jobs/:job_id': read(200, 404),
  'GET /v1/jobs/:job_id/events': read(200, 404),
  'GET /v1/jobs/:job_id/findings': read(200, 404),
  'POST /v1/jobs/:job_id/rerun': {
    scope: 'jobs:write',
    right: 202,
    other: 404,
    body: () => form([['input_file', file()]]),
  },
  'DELETE /v1/jobs/:job_id': { scope: 'jobs:write', right: 204, other: 404 },
  ...Object.fromEntries(
    inputFormats.flatMap(({ id }) => [
      [`POST /v1/transform/${id}`, transform('file')],
      [`POST /v1/transform/${id}/append`, transform('file', 'files')],
      [`POST /v1/transform/${id}/merge`, transform('files', 'files')],
    ]),
  ),
  'GET /v1/transform/result/:task_id': read(200, 404),
  'GET /v1/transform/output/o_:task_id': read(200, 404),
  'POST /v1/inspect': {
    scope: 'jobs:write',
    right: 200,
    body: () =>
      form([
        ['config', '{"input":{"format":"geojson"}}'],
        ['input_file', file()],
      ]),
  },
  'POST /v1/uploads': { scope: 'jobs:write', right: 201, body: () => form([['file', file()]]) },
  'GET /v1/uploads': read(200),
  'OPTIONS /v1/uploads': forAll(204),
  'GET /v1/uploads/:upload_id': read(200, 404),
  'PATCH /v1/uploads/:upload_id': { scope: 'jobs:write', right: 204, other: 404, headers: NO_BYTES },
  'POST /v1/uploads/:upload_id': {
    scope: 'jobs:write',
    right: 204,
    other: 404,
    headers: { ...NO_BYTES, 'x-http-method-override': 'PATCH' },
  },
  'DELETE /v1/uploads/:upload_id': { scope: 'jobs:write', right: 204, other: 404 },
  'GET /v1/formats': forAll(200),
  'GET /v1/transformations': forAll(200),
  'GET /v1/crs': forAll(400),
  'GET /v1/crs/:code': forAll(404),
  'POST /v1/crs/suggest': forAll(415),
  'POST /accounts/oauth/token': { ...forAll(401), body: () => new URLSearchParams({ scope: 'jobs:read' }) },
  'GET /.well-known/jwks.json': forAll(200),
  'GET /.well-known/oauth-authorization-server': forAll(200),
  'GET /openapi.json': forAll(200),
  'GET /docs': forAll(200),
  'GET /docs/schemas/:name': forAll(404),
  'GET /v1': forAll(200),
  'GET /healthz': forAll(200),
  'GET /readyz': forAll(200),
  'GET /metrics': { scope: 'admin', right: 200 },
};

const routes: RouteName[] = [];
const service = await startTestService({
  // Each request comes from an address of its own: what is limited by address is tested elsewhere.
  settings: { AUTH: 'required', TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT: '0', MAX_OWNER_JOBS: '0' },
  start: { onRoute: (route) => routes.push(route) },
});
const credentials = new TestCredentials(service.config.dataDirectory);
test.after(async () => {
  await credentials[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const alice = apiKey((await credentials.key('alice')).secret);
let address = 0;

async function ask(
  method: string,
  url: string,
  shown: Shown,
  body?: () => RequestInit['body'],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  address += 1;
  const path = `${service.url}${url}`;
  const response = await fetch(path, {
    method,
    headers: {
      ...headers,
      'x-forwarded-for': `192.0.2.${address % 250}, 198.51.${address >> 8}.${address & 255}`,
      ...shown,
    },
    body: method === 'POST' ? body?.() : undefined,
  });
  await checkResponse(method, path, response);
  return response;
}

/** A job of Alice's that has ended. */
async function newJob(): Promise<string> {
  const { body } = TABLE['POST /transform'];
  const response = await ask('POST', '/transform', alice, body);
  const { job_id: id } = (await response.json()) as { job_id: string };
  await service.ended(id);
  return id;
}

/** An upload of Alice's without bytes and of unknown length. */
async function newUpload(): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-defer-length': '1' };
  const response = await ask('POST', '/v1/uploads', alice, undefined, headers);
  return ((await response.json()) as { id: string }).id;
}

const shared = await newJob();
const sharedUpload = await newUpload();

const isOfUpload = (url: string): boolean => url.includes(':upload_id');
const sharedOf = (url: string): string => (isOfUpload(url) ? sharedUpload : shared);
const newOf = (url: string): Promise<string> => (isOfUpload(url) ? newUpload() : newJob());

async function statusOf(route: RouteName, row: Row, shown: Shown, id = sharedOf(route.url)): Promise<number> {
  const url = route.url.replace(/:(?:job_id|task_id|upload_id)/, id).replace(':code', 'none');
  const response = await ask(route.method, url, shown, row.body, row.headers);
  if (response.status === 401) {
    const text =
      row.scope === null ? /^Basic realm="geomill"/ : /^Bearer realm="geomill".*, ApiKey realm="geomill"$/;
    assert.match(response.headers.get('www-authenticate') ?? '', text);
  }
  await response.body?.cancel();
  return response.status;
}

const refused: Readonly<Record<string, Shown>> = {
  'no credential': {},
  'a malformed key': apiKey('gm_nonsense'),
  'an empty key': apiKey(''),
  'an unknown key': apiKey(credentials.unknownKey()),
  'a wrong secret of a known key': apiKey(await credentials.wrongKey('alice')),
  'an expired key': apiKey(await credentials.expiredKey('alice')),
  'a revoked key': apiKey(await credentials.revokedKey('alice')),
  'a key of a disabled account': apiKey(await credentials.disabledKey()),
  'a client secret as key': apiKey((await credentials.client('alice')).secret),
  'a malformed token': bearer('nonsense'),
  'an empty token': { authorization: 'Bearer' },
  'a forged token': bearer(await credentials.forgedToken('alice')),
  'an expired token': bearer(await credentials.expiredToken('alice')),
  'a token of a revoked client': bearer(await credentials.revokedToken('alice')),
  'a password of HTTP Basic': { authorization: `Basic ${btoa('alice:secret')}` },
};

const ALL_SCOPES: readonly Scope[] = ['jobs:read', 'jobs:write', 'admin'];
const byScope: Record<string, Shown> = {};
for (const scope of ALL_SCOPES) byScope[scope] = apiKey((await credentials.key('alice', [scope])).secret);
const bob = apiKey((await credentials.key('bob')).secret);
const keyAsToken = bearer((await credentials.key('alice', ALL_SCOPES)).secret);
const token = bearer(await credentials.token('alice', ALL_SCOPES));

const methodsOf = (method: string): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

test('the table has every route that the router has, and no other', () => {
  const known = Object.keys(TABLE).flatMap((name) => {
    const [method, url] = name.split(' ');
    return methodsOf(method).map((one) => `${one} ${url}`);
  });
  const there = routes
    .map(({ method, url }) => `${method} ${url}`)
    // Pages of the account area and for converting files (apps/service/test/convert-pages), files of the workspace, and what browsers ask for by themselves (browser-paths.full.test.ts).
    .filter(
      (name) =>
        !/ (?:\/account(?:\/.*)?|\/|\/jobs(?:\/.*)?|\/assets\/.*|\/docs\/|\/favicon\.ico)$/.test(name),
    );
  assert.deepEqual(there.toSorted(), known.toSorted());
});

for (const [name, row] of Object.entries(TABLE)) {
  const [first, url] = name.split(' ');
  for (const method of methodsOf(first)) {
    const route = { method, url };
    test(`${method} ${url} lets in who may, and nobody else`, async () => {
      const { scope, right, other = right } = row;
      for (const [what, shown] of Object.entries(refused))
        assert.equal(await statusOf(route, row, shown), scope === null ? right : 401, what);
      if (scope === null) return;
      for (const one of ALL_SCOPES) {
        const may: boolean = one === scope || one === 'admin';
        const id: string = method === 'DELETE' && may ? await newOf(url) : sharedOf(url);
        assert.equal(await statusOf(route, row, byScope[one], id), may ? right : 403, `a key for ${one}`);
      }
      if (scope !== 'admin') assert.equal(await statusOf(route, row, bob), other, 'another owner');
      const fresh = async () => (method === 'DELETE' ? newOf(url) : sharedOf(url));
      assert.equal(await statusOf(route, row, token, await fresh()), right, 'a token');
      assert.equal(await statusOf(route, row, keyAsToken, await fresh()), right, 'a key as token');
      assert.equal(await statusOf(route, row, { ...alice, ...token }), 400, 'two credentials');
    });
  }
}

test('a credential in the query is none', async () => {
  const [{ secret }] = [await credentials.key('alice')];
  for (const query of [`apiKey=${secret}`, `access_token=${secret}`, `key=${secret}`])
    assert.equal((await ask('GET', `/v1/jobs?${query}`, {})).status, 401);
});

test('what does not exist is told to nobody in particular', async () => {
  assert.equal((await ask('GET', '/v1/nothing', {})).status, 404);
  assert.equal((await ask('DELETE', '/transform', {})).status, 405);
});

test("another owner's job is answered as one that does not exist, but for the id", async () => {
  const none = '00000000-0000-4000-8000-000000000000';
  const rows = Object.entries(TABLE).filter(([, { other }]) => other === 404);
  for (const [name, { headers: sent }] of rows) {
    const [method, url] = name.split(' ');
    const [theirs, nobodys] = await Promise.all(
      [sharedOf(url), none].map(async (id) => {
        const path = url.replace(/:(?:job_id|task_id|upload_id)/, id);
        const response = await ask(method, path, bob, undefined, sent);
        const headers = [...response.headers.keys()].toSorted();
        return { headers, text: (await response.text()).replaceAll(id, 'ID') };
      }),
    );
    assert.deepEqual(theirs, nobodys, name);
  }
});

test('an administrator sees the jobs of everybody, and lists their own unless others are asked for', async () => {
  const root = apiKey((await credentials.key('root', ['admin'])).secret);
  const idsOf = async (query: string, shown = root): Promise<string[]> => {
    const ids: string[] = [];
    // The table above made more jobs than a page has.
    for (let path: string | undefined = `/v1/jobs${query}`; path !== undefined; ) {
      const response: Response = await ask('GET', path, shown);
      assert.equal(response.status, 200);
      const { jobs } = (await response.json()) as { jobs: { job_id: string }[] };
      ids.push(...jobs.map(({ job_id: id }) => id));
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      path = next === undefined ? undefined : next.slice(next.indexOf('/v1/'));
    }
    return ids;
  };
  assert.equal((await ask('GET', `/v1/jobs/${shared}`, root)).status, 200);
  assert.deepEqual(await idsOf(''), []);
  assert.ok((await idsOf('?owner=alice&limit=200')).includes(shared));
  assert.ok((await idsOf('?owner=*&limit=200')).includes(shared));
  assert.ok((await idsOf('?owner=alice&limit=200', alice)).includes(shared));
  for (const owner of ['alice', '*']) {
    const response = await ask('GET', `/v1/jobs?owner=${owner}`, bob);
    assert.equal(response.status, 403);
  }
});

test('an Idempotency-Key names a job of its owner alone', async () => {
  const submitted = async (shown: Shown): Promise<string> => {
    const response = await ask('POST', '/transform', { ...shown, 'idempotency-key': 'one' }, form1);
    return ((await response.json()) as { job_id: string }).job_id;
  };
  const form1 = TABLE['POST /transform'].body;
  const [first, again, theirs] = [await submitted(alice), await submitted(alice), await submitted(bob)];
  assert.equal(first, again);
  assert.notEqual(first, theirs);
});
