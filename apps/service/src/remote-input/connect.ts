/** One request for one URL, over a connection to a checked address. */
import { lookup } from 'node:dns/promises';
import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { type Agent as AgentTls, request as requestHttps } from 'node:https';
import type { Timers } from '@geomill/core/timers.ts';
import { isAllowedAddress } from './addresses.ts';
import { urlRefused } from './check-url.ts';
import { isNamedHost, privateNetworksOf, type UrlPolicy } from './policy.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** External dependencies, replaced in tests. */
export interface Outside {
  /** All addresses of a host. */
  readonly resolve: (host: string) => Promise<readonly ResolvedAddress[]>;
  /** Trusted certificate authorities, PEM. Undefined: those of Node. */
  readonly ca?: string | string[];
  /** Waits before something is tried again. Undefined: for that time. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Time of all limits. Undefined: that of the platform. */
  readonly timers?: Timers;
}

/** How the requests of a task are made. */
export interface RequestKind {
  readonly acceptEncoding: 'identity' | 'gzip';
  /** Connections that several requests share; null: each request has its own. */
  readonly agents: { readonly http: Agent; readonly https: AgentTls } | null;
  /** Redirects to other hosts are refused. */
  readonly staysOnHost: boolean;
}

export const PLAIN_REQUEST: RequestKind = { acceptEncoding: 'identity', agents: null, staysOnHost: false };

/** getaddrinfo, so that the hosts file and the system's resolver are used as by other programs. */
export const REAL_OUTSIDE: Outside = { resolve: (host) => lookup(host, { all: true }) };

const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Resolves with the response before its body is read. Throws URL_REFUSED and what Node throws; `signal` ends it and the body.
 *
 * The name is looked up once, all addresses are checked, and only these are connected to. Alternative rejected: checking
 * the name and connecting by name, which looks it up again and may get another address (DNS rebinding).
 */
export async function requestUrl(
  url: URL,
  { policy, userAgent }: { readonly policy: UrlPolicy; readonly userAgent: string },
  signal: AbortSignal,
  outside: Outside,
  { acceptEncoding, agents }: RequestKind,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = await orAborted(outside.resolve(host), signal).catch((error: unknown) => {
    // For hosts allowed by a pattern, an unknown name gives the same error as a private address, so that requests cannot
    // find out which names exist in the operator's network.
    if (signal.aborted || isNamedHost(url, policy)) throw error;
    throw urlRefused(url);
  });
  // All addresses must be allowed: any of them may be connected to, and a mixture suggests an attack.
  const networks = privateNetworksOf(url, policy);
  const isAllowed = addresses.every(({ address }) => isAllowedAddress(address, networks));
  if (addresses.length === 0 || !isAllowed) throw urlRefused(url);
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    const request = (isTls ? requestHttps : requestHttp)(url, {
      agent: agents === null ? false : isTls ? agents.https : agents.http,
      lookup: (_host, options, answer) => {
        if (options.all === true) answer(null, [...addresses]);
        else answer(null, addresses[0].address, addresses[0].family);
      },
      headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': acceptEncoding },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      ...(outside.ca === undefined ? {} : { ca: outside.ca }),
      signal,
    });
    request.on('response', resolve);
    failWithConnection(request, reject);
    request.end();
  });
}

/** Whether the host sent more bytes than the answer has by its head. The connection is not reused for these. */
const EXCESSIVE = new WeakSet<IncomingMessage>();

export function sentMoreThanStated(response: IncomingMessage): boolean {
  return EXCESSIVE.has(response);
}

/**
 * Passes errors of the connection on to the body of the answer. Node does so only where the head states where the body ends:
 * elsewhere a body ends as if it were complete, whether the connection was closed, reset or ended by our own signal.
 */
function failWithConnection(request: ClientRequest, reject: (error: Error) => void): void {
  let response: IncomingMessage | null = null;
  request.on('response', (answer) => {
    response = answer;
  });
  // Stays for as long as the request: an error without a listener would end the process.
  request.on('error', (error) => {
    reject(error);
    if (response === null) return;
    if (!response.complete) response.destroy(error);
    else if ('code' in error && String(error.code).startsWith('HPE_')) EXCESSIVE.add(response);
  });
}

/** A lookup cannot be cancelled, only ignored. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
