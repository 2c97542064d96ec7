/** An OpenID Connect issuer for tests of signing in: discovery, authorization code with PKCE, tokens, keys. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type Claims = Readonly<Record<string, unknown>>;

export interface FakeIssuer extends AsyncDisposable {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Of who signs in next; may change what the issuer says in any way. */
  claims: Claims;
  /** Signs with a key that it does not publish. */
  isForger: boolean;
  /** Answers as if it were another issuer. */
  claimsToBe: string | null;
  /** The authorization requests that came, newest last. */
  readonly requests: URLSearchParams[];
}

export async function startFakeIssuer(): Promise<FakeIssuer> {
  const [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk: JWK = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: FakeIssuer = {
    url,
    clientId: 'geomill-web',
    clientSecret: 'a secret of the issuer',
    claims: {},
    isForger: false,
    claimsToBe: null,
    requests: [],
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const send = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/.well-known/openid-configuration') return send(discovery());
    if (pathname === '/keys') return send({ keys: [jwk] });
    if (pathname === '/authorize') {
      issuer.requests.push(searchParams);
      const code = `code-${issuer.requests.length}`;
      codes.set(code, searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    if (pathname === '/token') return send(...(await tokens(await bodyOf(request), request)));
    send({ error: 'not_found' }, 404);
  }

  function discovery(): object {
    return {
      issuer: issuer.claimsToBe ?? url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  async function tokens(body: URLSearchParams, { headers }: IncomingMessage): Promise<[object, number]> {
    const asked = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const basic = Buffer.from(`${issuer.clientId}:${issuer.clientSecret}`).toString('base64');
    const isClient =
      body.get('client_secret') === issuer.clientSecret || headers.authorization === `Basic ${basic}`;
    if (asked === undefined || asked.get('code_challenge') !== verifier || !isClient)
      return [{ error: 'invalid_grant' }, 400];
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: url, aud: issuer.clientId, sub: 'subject-1', nonce: asked.get('nonce') };
    const idToken = await new SignJWT({ ...usual, iat: now, exp: now + 300, ...issuer.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(issuer.isForger ? foreign.privateKey : own.privateKey);
    return [{ access_token: 'opaque-access-token', token_type: 'Bearer', id_token: idToken }, 200];
  }

  return issuer;
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
