/** Access tokens of an outside issuer at the API, also while that issuer is away. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { bearer, TestCredentials } from '../../../../test/support/credentials.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submitJob } from '../../../../test/support/service.ts';
import { oidcOwner } from '../../src/accounts/oidc.ts';

const { publicKey, privateKey } = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
let isAway = false;
const server = createServer((request, response) => {
  if (isAway) return response.writeHead(503).end();
  const body = request.url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const settings = { AUTH: 'required', OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'mill', OIDC_SCOPE_CLAIM: 'roles' };
test.after(() => server.close());

function tokenFor(claims: JWTPayload): Promise<string> {
  return new SignJWT({ sub: 'ann', aud: 'mill', roles: ['jobs:read', 'jobs:write'], ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setExpirationTime('5m')
    .sign(privateKey);
}

test('a subject of the issuer is an owner with the scopes of its claim, until an administrator disables it', async () => {
  await using service = await startTestService({ settings });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const ann = bearer(await tokenFor({}));
  const bob = bearer(await tokenFor({ sub: 'bob' }));
  const id = await submitJob(service, { headers: ann });
  const status = async (headers: Record<string, string>, path = `/v1/jobs/${id}`): Promise<number> =>
    (await fetch(service.url + path, { headers })).status;
  assert.equal(await status(ann), 200);
  assert.equal(await status(bob), 404);
  assert.equal(await status(bearer(await tokenFor({ roles: ['jobs:write'] }))), 403);
  assert.equal(await status(bearer(await tokenFor({ roles: [] })), '/v1/jobs'), 403);
  assert.equal(await status(bearer(await tokenFor({ aud: 'another' }))), 401);
  assert.equal(await status(bearer(`${(await tokenFor({})).slice(0, -4)}AAAA`)), 401);
  assert.equal(await status(bearer(await tokenFor({ roles: 'admin' })), '/metrics'), 200);
  assert.equal(await status(bearer(await credentials.token('alice')), '/v1/jobs'), 200, 'a token of our own');
  await credentials.accounts.states.change(oidcOwner(issuer, 'ann'), { isDisabled: true }, 'test');
  assert.equal(await status(ann), 401);
});

test('while the issuer cannot be asked its tokens are neither taken nor refused, and keys still count', async () => {
  isAway = true;
  await using service = await startTestService({ settings });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const response = await fetch(`${service.url}/v1/jobs`, { headers: bearer(await tokenFor({})) });
  assert.equal(response.status, 503);
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const shown = { apiKey: (await credentials.key('alice')).secret };
  assert.equal((await fetch(`${service.url}/v1/jobs`, { headers: shown })).status, 200);
});
