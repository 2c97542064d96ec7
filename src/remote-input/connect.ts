/** One request for one URL, over a connection to an address that was checked. */
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isAllowedAddress } from './addresses.ts';
import { urlRefused } from './check-url.ts';
import { isNamedHost, type UrlPolicy } from './policy.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** What lies outside; replaced by tests. */
export interface Outside {
  /** All addresses of a host. */
  readonly resolve: (host: string) => Promise<readonly ResolvedAddress[]>;
  /** Certificates of authorities to trust, PEM. Undefined: those that Node knows. */
  readonly ca?: string;
}

/** getaddrinfo, so that the hosts file and the operator's resolver count as for every other program here. */
export const REAL_OUTSIDE: Outside = { resolve: (host) => lookup(host, { all: true }) };

const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Resolves with the answer, its body not read. Throws URL_REFUSED and what Node throws; `signal` ends it and the body.
 *
 * The name is looked up once, all its addresses are checked, and the connection is made to them and no others. Refused:
 * to check the name and connect by name, which looks it up again, and may then be told another address (DNS rebinding).
 */
export async function requestUrl(
  url: URL,
  policy: UrlPolicy,
  userAgent: string,
  signal: AbortSignal,
  outside: Outside,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = await orAborted(outside.resolve(host), signal).catch((error: unknown) => {
    // Under a pattern a name without an address is answered as one with a private address: which names there are inside
    // the operator's network is not for requesters to find out.
    if (signal.aborted || isNamedHost(url, policy)) throw error;
    throw urlRefused(url);
  });
  // Every one: which of them is connected to is chance, and a name with one foot inside is up to something.
  const isAllowed = addresses.every(({ address }) => isAllowedAddress(address, policy.privateNetworks));
  if (addresses.length === 0 || !isAllowed) throw urlRefused(url);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      agent: false,
      lookup: (_host, options, answer) => {
        if (options.all === true) answer(null, [...addresses]);
        else answer(null, addresses[0].address, addresses[0].family);
      },
      headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      ...(outside.ca === undefined ? {} : { ca: outside.ca }),
      signal,
    });
    // Stays on: what goes wrong later is told by the body, and must not end the process here.
    request.on('error', reject);
    request.on('response', resolve);
    request.end();
  });
}

/** A lookup cannot be ended, only left alone. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
