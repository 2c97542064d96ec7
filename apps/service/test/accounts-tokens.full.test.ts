/** Access tokens of OAuth clients: issued, checked, tampered with; the keys that sign them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { contract, type OpenAccounts, START, type TestAccounts } from '../../../test/support/accounts.ts';
import type { Accounts } from '../src/accounts/accounts.ts';
import type { CreatedCredential } from '../src/accounts/credentials.ts';
import type { Scope } from '../src/accounts/principal.ts';

const DAY_MS = 24 * 3600 * 1000;
const ISSUER = 'https://mill.example.org';

interface WithClient extends TestAccounts {
  readonly client: CreatedCredential;
  token(scope?: string): Promise<string>;
}

async function withClient(
  open: OpenAccounts,
  scopes: readonly Scope[] = ['jobs:read', 'jobs:write'],
): Promise<WithClient> {
  const opened = await open({ issuer: ISSUER });
  const client = await opened.accounts.credentials.create(
    { kind: 'client', owner: 'ci', name: 'robot', scopes, expiresAt: null },
    'tester',
  );
  const token = async (scope?: string): Promise<string> => {
    const issued = await opened.accounts.tokens.issue(client.credential.id, client.secret, scope);
    assert.ok(issued.ok);
    return issued.ok.accessToken;
  };
  return Object.assign(opened, { client, token });
}

/** The private key in the database, as a thief would have it. */
async function stolenKey({
  database,
}: Accounts): Promise<{ kid: string; key: CryptoKey; publicJwk: string }> {
  const [row] = await database.rows<{ kid: string; private_jwk: string; public_jwk: string }>(
    'SELECT kid, private_jwk, public_jwk FROM signing_keys',
  );
  const key = (await importJWK(JSON.parse(row.private_jwk) as JWK, 'EdDSA')) as CryptoKey;
  return { kid: row.kid, key, publicJwk: row.public_jwk };
}

contract('a token is what RFC 9068 says, and is its client', async (open) => {
  await using opened = await withClient(open);
  const { accounts, client } = opened;
  const { id } = client.credential;
  const issued = await accounts.tokens.issue(id, client.secret);
  assert.equal(issued.ok?.expiresInSeconds, 300);
  assert.equal(issued.ok?.scope, 'jobs:read jobs:write');
  const { accessToken } = issued.ok!;
  const { jti, ...claims } = decodeJwt(accessToken);
  assert.match(String(jti), /^[0-9a-f-]{36}$/);
  assert.deepEqual(claims, {
    iss: ISSUER,
    aud: ISSUER,
    sub: id,
    client_id: id,
    owner: 'ci',
    scope: 'jobs:read jobs:write',
    iat: START / 1000,
    nbf: START / 1000,
    exp: START / 1000 + 300,
  });
  const { keys } = await accounts.signingKeys.keySet();
  const header = decodeProtectedHeader(accessToken);
  assert.deepEqual(header, { alg: 'EdDSA', kid: keys[0].kid, typ: 'at+jwt' });
  assert.deepEqual(await accounts.tokens.verify(accessToken), {
    ok: { owner: 'ci', scopes: ['jobs:read', 'jobs:write'], credential: { kind: 'client', id } },
  });
});

contract('whoever has the published keys can check a token, and they hold no private part', async (open) => {
  await using opened = await withClient(open);
  const token = await opened.token();
  const keySet = await opened.accounts.signingKeys.keySet();
  const { payload } = await jwtVerify(token, createLocalJWKSet(keySet), { currentDate: new Date(START) });
  assert.equal(payload.owner, 'ci');
  for (const key of keySet.keys) assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']); // biome-ignore format: one line
});

contract('fewer scopes are honoured, more are refused', async (open) => {
  await using opened = await withClient(open);
  const { accounts, client } = opened;
  const { id } = client.credential;
  const { ok } = await accounts.tokens.verify(await opened.token('jobs:read'));
  assert.deepEqual(ok?.scopes, ['jobs:read']);
  for (const scope of ['admin', 'jobs:read admin', 'jobs:read other', 'jobs:*', 'JOBS:READ']) {
    const { error } = await accounts.tokens.issue(id, client.secret, scope);
    assert.equal(error, 'invalid_scope', scope);
  }
  const all = await accounts.tokens.issue(id, client.secret, ' ');
  assert.equal(all.ok?.scope, 'jobs:read jobs:write');
});

contract('a client that is admin may ask for less', async (open) => {
  await using opened = await withClient(open, ['admin']);
  const { ok } = await opened.accounts.tokens.verify(await opened.token('jobs:write'));
  assert.deepEqual(ok?.scopes, ['jobs:write']);
});

contract('a wrong, unknown, expired or revoked client gets no token', async (open) => {
  await using opened = await withClient(open);
  const { accounts, client } = opened;
  const { id } = client.credential;
  const refusal = async (clientId: string, secret: string): Promise<string | undefined> => {
    const issued = await accounts.tokens.issue(clientId, secret);
    assert.equal(issued.error, 'invalid_client');
    return issued.error === 'invalid_client' ? issued.refusal.refused : undefined;
  };
  assert.equal(await refusal(id, `${client.secret.slice(0, -1)}!`), 'malformed');
  assert.equal(await refusal('gmc_00000000', client.secret), 'unknown');
  await accounts.credentials.change(id, { expiresAt: START + 1 }, 'tester');
  opened.at += 1;
  assert.equal(await refusal(id, client.secret), 'expired');
  await accounts.credentials.revoke(id, 'tester');
  assert.equal(await refusal(id, client.secret), 'revoked');
});

contract('the tokens of a revoked or expired client die at once, in every process', async (open) => {
  await using opened = await withClient(open);
  const { client } = opened;
  const token = await opened.token();
  const other = await opened.another();
  assert.ok((await other.tokens.verify(token)).ok);
  await opened.accounts.credentials.change(client.credential.id, { expiresAt: START + 1 }, 'tester');
  opened.at += 1;
  assert.equal((await other.tokens.verify(token)).refused, 'expired');
  await opened.accounts.credentials.revoke(client.credential.id, 'tester');
  assert.equal((await other.tokens.verify(token)).refused, 'revoked');
});

contract('a token is good for its five minutes, give or take the clocks', async (open) => {
  await using opened = await withClient(open);
  const { tokens } = opened.accounts;
  const token = await opened.token();
  const at = async (seconds: number): Promise<string | undefined> => {
    opened.at = START + seconds * 1000;
    return (await tokens.verify(token)).refused;
  };
  assert.equal(await at(-6), 'invalid');
  assert.equal(await at(-5), undefined);
  assert.equal(await at(304), undefined);
  assert.equal(await at(305), 'expired');
});

contract('a token that was tampered with is refused', async (open, t) => {
  await using opened = await withClient(open);
  const { tokens } = opened.accounts;
  const good = await opened.token();
  const [head, body, signature] = good.split('.');
  const header = decodeProtectedHeader(good) as { alg: string; kid: string; typ: string };
  const claims = decodeJwt(good);
  const { key, kid, publicJwk } = await stolenKey(opened.accounts);
  const foreign = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const rsa = await generateKeyPair('RS256');
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const resigned = (claimsToSign: JWTPayload, head: object = {}, by: CryptoKey = key): Promise<string> =>
    new SignJWT(claimsToSign).setProtectedHeader({ ...header, ...head }).sign(by);
  const hmac = (secret: Uint8Array): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(secret);
  const x = Buffer.from((JSON.parse(publicJwk) as { x: string }).x, 'base64url');
  const without = (name: string): JWTPayload =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

  assert.ok((await tokens.verify(await resigned(claims))).ok, 'the tools of this test make good tokens');
  const seconds = START / 1000;
  const forged: Record<string, string> = {
    'alg none, unsigned': `${encode({ ...header, alg: 'none' })}.${body}.`,
    'alg none with the signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'alg None': `${encode({ ...header, alg: 'None' })}.${body}.${signature}`,
    'no alg': `${encode({ kid, typ: 'at+jwt' })}.${body}.${signature}`,
    'HMAC with the public key as the secret': await hmac(x),
    'HMAC with the published JSON as the secret': await hmac(Buffer.from(publicJwk)),
    'the right key id, another key': await resigned(claims, {}, foreign.privateKey),
    'another algorithm': await resigned(claims, { alg: 'RS256' }, rsa.privateKey),
    'a key of its own in the header': await resigned(
      claims,
      { jwk: await exportJWK(foreign.publicKey) },
      foreign.privateKey,
    ),
    'a key set of its own': await resigned(claims, { jku: 'https://evil.example' }, foreign.privateKey),
    'unknown kid': await resigned(claims, { kid: 'nobody' }),
    'kid as a path': await resigned(claims, { kid: '../../../dev/null' }),
    'kid as SQL': await resigned(claims, { kid: "' OR 1=1 --" }),
    'kid as a number': `${encode({ ...header, kid: 7 })}.${body}.${signature}`,
    'kid as a list': `${encode({ ...header, kid: [kid] })}.${body}.${signature}`,
    'kid empty': await resigned(claims, { kid: '' }),
    'no kid': await resigned(claims, { kid: undefined }),
    'typ of an id token': await resigned(claims, { typ: 'JWT' }),
    'no typ': await resigned(claims, { typ: undefined }),
    'an extension nobody knows': `${encode({ ...header, crit: ['x'], x: 1 })}.${body}.${signature}`,
    expired: await resigned({ ...claims, exp: seconds - 6 }),
    'not yet valid': await resigned({ ...claims, nbf: seconds + 60 }),
    'expiry as a text': await resigned({ ...claims, exp: '9999999999' as unknown as number }),
    'other audience': await resigned({ ...claims, aud: 'https://other.example' }),
    'other issuer': await resigned({ ...claims, iss: 'https://other.example' }),
    'issuer with a slash': await resigned({ ...claims, iss: `${ISSUER}/` }),
    'other client': await resigned({ ...claims, sub: 'gmc_00000000' }),
    'a key as the client': await resigned({ ...claims, sub: 'gm_00000000' }),
    'other owner': await resigned({ ...claims, owner: 'root' }),
    'changed claims': `${head}.${encode({ ...claims, scope: 'admin' })}.${signature}`,
    'claims that are no object': `${head}.${encode([claims])}.${signature}`,
    'header that is no JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
    'two parts': `${head}.${body}`,
    'four parts': `${good}.${signature}`,
    'no signature': `${head}.${body}.`,
    'a line feed at the end': `${good}\n`,
    'longer than any of ours': `${head}.${body}.${'A'.repeat(5000)}`,
    'the scheme too': `Bearer ${good}`,
    empty: '',
  };
  for (const claim of ['iss', 'aud', 'sub', 'client_id', 'owner', 'scope', 'iat', 'nbf', 'exp', 'jti'])
    forged[`no ${claim}`] = await resigned(without(claim));
  for (const [name, token] of Object.entries(forged))
    await t.test(name, async () => {
      const { ok, refused } = await tokens.verify(token);
      assert.equal(ok, undefined);
      assert.ok(refused);
    });
  for (let length = 0; length < good.length; length += 7)
    assert.ok((await tokens.verify(good.slice(0, length))).refused, `cut at ${length}`);
});

contract(
  'another spelling of the same signature is refused: the last character holds bits that no byte uses',
  async (open) => {
    await using opened = await withClient(open);
    const token = await opened.token();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const signature = token.slice(token.lastIndexOf('.') + 1);
    const spellings = [...alphabet]
      .map((last) => token.slice(0, -1) + last)
      .filter((one) =>
        Buffer.from(one.slice(one.lastIndexOf('.') + 1), 'base64url').equals(
          Buffer.from(signature, 'base64url'),
        ),
      );
    assert.ok(spellings.length > 1, 'decoders take several spellings for the same bytes');
    for (const spelling of spellings)
      assert.equal((await opened.accounts.tokens.verify(spelling)).ok !== undefined, spelling === token);
  },
);

contract('whatever is changed in a token, it is refused and nothing is thrown', async (open) => {
  await using opened = await withClient(open);
  const { tokens } = opened.accounts;
  const good = await opened.token();
  const url64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= é';
  const change = fc.tuple(fc.nat(good.length - 1), fc.constantFrom(...url64));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const chars = [...good];
      for (const [at, char] of changes) chars[at] = char;
      const text = chars.join('');
      fc.pre(text !== good);
      const { ok } = await tokens.verify(text);
      // The last digit of a signature has bits that mean nothing: another text, the same bytes.
      const bytesOf = (token: string) => Buffer.from(token.slice(-86), 'base64url');
      const isSame = text.slice(0, -86) === good.slice(0, -86) && bytesOf(text).equals(bytesOf(good));
      assert.ok(ok === undefined || isSame);
    }),
  );
});

contract('a key is published before it signs and after, and then it is gone', async (open) => {
  await using opened = await withClient(open);
  const { signingKeys, tokens } = opened.accounts;
  const kids = async (): Promise<string[]> => (await signingKeys.keySet()).keys.map(({ kid }) => kid!);
  const signer = async (): Promise<string> => decodeProtectedHeader(await opened.token()).kid!;
  const [first] = await kids();
  assert.equal(await signer(), first);
  opened.at = START + 30 * DAY_MS - 3600_000 - 1;
  assert.deepEqual(await kids(), [first]);
  opened.at += 1;
  const [, second] = await kids();
  assert.notEqual(second, undefined);
  assert.equal(await signer(), first);
  opened.at = START + 30 * DAY_MS - 1;
  const lastOfFirst = await opened.token();
  assert.equal(decodeProtectedHeader(lastOfFirst).kid, first);
  opened.at += 1;
  assert.equal(await signer(), second);
  opened.at += 299_000;
  assert.ok((await tokens.verify(lastOfFirst)).ok);
  assert.deepEqual(await kids(), [first, second]);
  opened.at = START + 30 * DAY_MS + 300_000 + 60_000;
  assert.deepEqual(await kids(), [second]);
  const { events } = await opened.accounts.audit.list();
  const rotations = events.filter(({ event }) => event.startsWith('signing-key.'));
  assert.deepEqual(
    rotations.map(({ event, subject }) => [event, subject]),
    [
      ['signing-key.removed', first],
      ['signing-key.created', second],
      ['signing-key.created', first],
    ],
  );
});

contract('after a long rest the next key is still published before it signs', async (open) => {
  await using opened = await withClient(open);
  const first = decodeProtectedHeader(await opened.token()).kid;
  opened.at += 400 * DAY_MS;
  assert.equal(decodeProtectedHeader(await opened.token()).kid, first);
  assert.equal((await opened.accounts.signingKeys.keySet()).keys.length, 2);
  opened.at += 3600_000;
  assert.notEqual(decodeProtectedHeader(await opened.token()).kid, first);
});

contract('a leaked key is replaced at once, and its tokens are refused in every process', async (open) => {
  await using opened = await withClient(open);
  const other = await opened.another();
  const token = await opened.token();
  assert.ok((await other.tokens.verify(token)).ok);
  await opened.accounts.signingKeys.rotate({ atOnce: true, actor: 'tester' });
  assert.equal((await other.tokens.verify(token)).refused, 'invalid');
  assert.ok((await other.tokens.verify(await opened.token())).ok);
});

contract('a key that is made ahead of its time signs after its lead', async (open) => {
  await using opened = await withClient(open);
  const first = decodeProtectedHeader(await opened.token()).kid;
  await opened.accounts.signingKeys.rotate({ actor: 'tester' });
  assert.equal(decodeProtectedHeader(await opened.token()).kid, first);
  opened.at += 3600_000;
  assert.notEqual(decodeProtectedHeader(await opened.token()).kid, first);
});

contract('processes that start together agree on one key', async (open) => {
  await using opened = await withClient(open);
  const others = await Promise.all(Array.from({ length: 4 }, () => opened.another()));
  const keys = await Promise.all(others.map(({ signingKeys }) => signingKeys.current()));
  assert.equal(new Set(keys.map(({ kid }) => kid)).size, 1);
});
