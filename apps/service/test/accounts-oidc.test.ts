/** Tokens of an outside issuer, which here is a server on this machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { OidcIssuer, type OidcOptions, oidcOwner } from '../src/accounts/oidc.ts';

const START = Date.UTC(2030, 0, 1);
const AUDIENCE = 'https://mill.example.org';

interface Pair {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function makePair(kid: string, algorithm = 'ES256'): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { kid, algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm } };
}

const [first, second, rsa] = await Promise.all([makePair('1'), makePair('2'), makePair('r', 'RS256')]);

class Issuer {
  url = '';
  keys: JWK[] = [first.jwk];
  /** Answers instead of the usual, by path. */
  instead: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {};
  fetches = 0;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    if (path === '/keys') this.fetches += 1;
    const answers: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: this.url, jwks_uri: `${this.url}/keys` },
      '/keys': { keys: this.keys },
    };
    const usual = (): void => {
      response.statusCode = answers[path] === undefined ? 404 : 200;
      response.end(JSON.stringify(answers[path] ?? {}));
    };
    (this.instead[path] ?? usual)(request, response);
  }

  token(claims: JWTPayload = {}, header: object = {}, by: Pair = first): Promise<string> {
    const seconds = START / 1000;
    const usual = { iss: this.url, aud: AUDIENCE, sub: 'ann', iat: seconds, exp: seconds + 300 };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: by.algorithm, kid: by.kid, ...header })
      .sign(by.privateKey);
  }
}

interface Clock {
  at: number;
}

function verifier(issuer: Issuer, options: Partial<OidcOptions> = {}): { oidc: OidcIssuer; clock: Clock } {
  const clock = { at: START };
  const oidc = new OidcIssuer({ issuer: issuer.url, audience: AUDIENCE, now: () => clock.at, ...options });
  return { oidc, clock };
}

test('a token of the issuer is an owner that no other issuer or account can be', async () => {
  await using issuer = await new Issuer().start();
  const { oidc } = verifier(issuer);
  const token = await issuer.token();
  assert.ok(oidc.concerns(token));
  const owner = oidcOwner(issuer.url, 'ann');
  assert.match(owner, /^oidc:[\w-]{32}$/);
  assert.deepEqual(await oidc.verify(token), {
    ok: { owner, scopes: ['jobs:read', 'jobs:write'], credential: { kind: 'oidc', id: owner } },
  });
  assert.notEqual(oidcOwner(`${issuer.url}/`, 'ann'), owner);
  assert.notEqual(oidcOwner('a', 'bc'), oidcOwner('ab', 'c'));
  assert.equal(issuer.fetches, 1);
});

test('scopes come from the claim, admin only from one that was named', async () => {
  await using issuer = await new Issuer().start();
  const usual = verifier(issuer).oidc;
  const named = verifier(issuer, { scopeClaim: 'roles' }).oidc;
  const scopesOf = async (oidc: OidcIssuer, claims: JWTPayload) => (await oidc.verify(await issuer.token(claims))).ok?.scopes; // biome-ignore format: one line
  assert.deepEqual(await scopesOf(usual, { scope: 'openid jobs:read' }), ['jobs:read']);
  assert.deepEqual(await scopesOf(usual, { scope: ['jobs:read', 7] }), ['jobs:read']);
  assert.deepEqual(await scopesOf(usual, { scope: 'openid profile' }), ['jobs:read', 'jobs:write']);
  assert.deepEqual(await scopesOf(usual, { scope: 'admin' }), ['jobs:read', 'jobs:write']);
  assert.deepEqual(await scopesOf(named, { roles: ['admin', 'other'] }), ['admin']);
  assert.deepEqual(await scopesOf(named, { scope: 'jobs:read' }), []);
});

test('every algorithm that is asymmetric will do, and a key need not be named', async () => {
  await using issuer = await new Issuer().start();
  issuer.keys = [first.jwk, rsa.jwk];
  const { oidc } = verifier(issuer);
  assert.ok((await oidc.verify(await issuer.token({}, {}, rsa))).ok);
  assert.ok((await oidc.verify(await issuer.token({}, { kid: undefined }, rsa))).ok);
  issuer.keys = [first.jwk, second.jwk];
  const other = verifier(issuer).oidc;
  assert.ok((await other.verify(await issuer.token({}, { kid: undefined }, second))).ok);
  const strange = await makePair('3');
  assert.equal((await other.verify(await issuer.token({}, { kid: undefined }, strange))).refused, 'invalid');
});

test('a token that is not for us, not now or not from the issuer is refused', async (t) => {
  await using issuer = await new Issuer().start();
  const { oidc } = verifier(issuer);
  const seconds = START / 1000;
  const good = await issuer.token();
  const [head, body, signature] = good.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  const secret = Buffer.from(JSON.stringify(first.jwk));
  const hmac = new SignJWT({ iss: issuer.url, aud: AUDIENCE, sub: 'ann', exp: seconds + 300 });
  const cases: Record<string, [token: string, refused: string]> = {
    'wrong audience': [await issuer.token({ aud: 'https://other.example' }), 'invalid'],
    'no audience': [await issuer.token({ aud: undefined }), 'invalid'],
    'other issuer': [await issuer.token({ iss: 'https://other.example' }), 'invalid'],
    expired: [await issuer.token({ exp: seconds - 31 }), 'expired'],
    'without an end': [await issuer.token({ exp: undefined }), 'invalid'],
    'not yet valid': [await issuer.token({ nbf: seconds + 31 }), 'invalid'],
    'no subject': [await issuer.token({ sub: undefined }), 'invalid'],
    'an empty subject': [await issuer.token({ sub: '' }), 'invalid'],
    'a logout token': [await issuer.token({}, { typ: 'logout+jwt' }), 'invalid'],
    'alg none': [`${none}.${body}.`, 'malformed'],
    'alg none with a signature': [`${none}.${body}.${signature}`, 'invalid'],
    'HMAC with the public key': [await hmac.setProtectedHeader({ alg: 'HS256', kid: '1' }).sign(secret), 'invalid'], // biome-ignore format: one line
    'wrong key under a known id': [await issuer.token({}, { kid: '1' }, second), 'invalid'],
    'unknown key': [await issuer.token({}, {}, second), 'unknown'],
    truncated: [`${head}.${body}.${signature.slice(0, 40)}`, 'invalid'],
    'no token': ['x', 'malformed'],
    'no JSON': ['e30.e30e.e30', 'malformed'],
    'far too long': [`${head}.${body}.${'A'.repeat(20_000)}`, 'malformed'],
  };
  for (const [name, [token, refused]] of Object.entries(cases))
    await t.test(name, async () => {
      assert.deepEqual(await oidc.verify(token), { refused });
    });
  assert.ok((await oidc.verify(good)).ok);
  assert.equal(issuer.fetches, 1, 'made-up keys do not make us ask again and again');
});

test('a key that the issuer changes to is found, the old one is forgotten', async () => {
  await using issuer = await new Issuer().start();
  const { oidc, clock } = verifier(issuer);
  const [old, fresh] = [await issuer.token(), await issuer.token({}, {}, second)];
  assert.ok((await oidc.verify(old)).ok);
  issuer.keys = [second.jwk];
  clock.at += 29_999;
  assert.equal((await oidc.verify(fresh)).refused, 'unknown');
  clock.at += 1;
  assert.ok((await oidc.verify(fresh)).ok);
  assert.equal((await oidc.verify(old)).refused, 'unknown');
  assert.equal(issuer.fetches, 2);
  clock.at += 600_000 - 1;
  const later = await issuer.token({ exp: START / 1000 + 9999 }, {}, second);
  assert.ok((await oidc.verify(later)).ok);
  assert.equal(issuer.fetches, 2);
  clock.at += 1;
  assert.ok((await oidc.verify(later)).ok);
  assert.equal(issuer.fetches, 3);
});

test('many requests at once ask the issuer once', async () => {
  await using issuer = await new Issuer().start();
  const { oidc } = verifier(issuer);
  const token = await issuer.token();
  const results = await Promise.all(Array.from({ length: 20 }, () => oidc.verify(token)));
  assert.ok(results.every(({ ok }) => ok !== undefined));
  assert.equal(issuer.fetches, 1);
});

test('an issuer that is away is no fault of the token, and its known keys serve on for a while', async () => {
  await using issuer = await new Issuer().start();
  const { oidc, clock } = verifier(issuer);
  const token = await issuer.token({ exp: START / 1000 + 99_999 });
  assert.ok((await oidc.verify(token)).ok);
  await issuer[Symbol.asyncDispose]();
  clock.at = START + 3599_000;
  assert.ok((await oidc.verify(token)).ok);
  clock.at = START + 3600_000;
  const away = await oidc.verify(token);
  assert.ok(away.unavailable);
  assert.ok(away.retryAfterMs > 0 && away.retryAfterMs <= 5000);
});

test('what an issuer answers instead of keys makes it unavailable', async (t) => {
  const long = JSON.stringify({ keys: [], more: 'x'.repeat(600_000) });
  const metadata = '/.well-known/openid-configuration';
  const say =
    (text: string, status = 200, headers = {}) =>
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(status, headers).end(text);
    };
  const cases: Record<string, [path: string, answer: Issuer['instead'][string], reason: RegExp]> = {
    'a failure': [metadata, say('{}', 500), /answers 500/],
    'a page': [metadata, say('<html>'), /JSON/],
    'a list': [metadata, say('[]'), /no JSON object/],
    'metadata of another': [
      metadata,
      say('{"issuer":"https://other.example","jwks_uri":"x"}'),
      /another issuer/,
    ],
    'a redirect': [
      metadata,
      say('', 302, { location: 'http://127.0.0.1:1/' }),
      /cannot be fetched: .*redirect/,
    ],
    'keys without end': ['/keys', say(long), /more than/],
    'no keys': ['/keys', say('{}'), /malformed/],
    'no answer at all': ['/keys', () => {}, /cannot be fetched: .*timeout/],
  };
  for (const [name, [path, answer, reason]] of Object.entries(cases))
    await t.test(name, async () => {
      await using issuer = await new Issuer().start();
      issuer.instead[path] = answer;
      const { oidc } = verifier(issuer, { timeoutMs: 200 });
      const result = await oidc.verify(await issuer.token());
      assert.match(String(result.unavailable), reason);
    });
});

test('keys over plain http of another host are not fetched', async () => {
  await using issuer = await new Issuer().start();
  issuer.instead['/.well-known/openid-configuration'] = (_, response) => {
    response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://192.0.2.1/keys' }));
  };
  const { oidc } = verifier(issuer);
  assert.match(String((await oidc.verify(await issuer.token())).unavailable), /is not https/);
});

test('after a failure the issuer is left alone for a moment', async () => {
  await using issuer = await new Issuer().start();
  let asked = 0;
  issuer.instead['/keys'] = (_, response) => {
    asked += 1;
    response.writeHead(503).end();
  };
  const { oidc, clock } = verifier(issuer);
  const token = await issuer.token();
  for (let i = 0; i < 5; i++) assert.ok((await oidc.verify(token)).unavailable);
  assert.equal(asked, 1);
  issuer.instead = {};
  clock.at += 5000;
  assert.ok((await oidc.verify(token)).ok);
});

test('an invalid key of the issuer refuses the token and breaks nothing', async () => {
  await using issuer = await new Issuer().start();
  issuer.keys = [{ ...first.jwk, x: 'AAAA' }];
  const { oidc } = verifier(issuer);
  assert.equal((await oidc.verify(await issuer.token())).refused, 'invalid');
});

test('an issuer that is not https is refused at the start', () => {
  for (const issuer of [
    'http://id.example.org',
    'ftp://id.example.org',
    'http://127.0.0.1.example.org',
    'id',
  ])
    assert.throws(() => new OidcIssuer({ issuer, audience: AUDIENCE }), { code: 'SETTING_INVALID' });
  for (const issuer of ['https://id.example.org', 'http://localhost:9', 'http://[::1]:9', 'http://127.1.2.3'])
    new OidcIssuer({ issuer, audience: AUDIENCE });
});
