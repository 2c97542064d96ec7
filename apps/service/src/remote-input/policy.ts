/**
 * Which URLs may be fetched, as configured by the operator. Plain data, because it is sent to another process.
 *
 * A URL is checked twice: here by its text, before the lookup, and in addresses.ts by its addresses, before connecting.
 * Only the second check protects the operator's network, because any name can resolve to any address.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import ipaddr from 'ipaddr.js';
import { isAddress } from './addresses.ts';

export interface UrlPolicy {
  /** Empty: fetching is disabled. */
  readonly hosts: readonly HostRule[];
  /** Private networks from which files may be fetched, as CIDR. */
  readonly privateNetworks: readonly string[];
}

export interface HostRule {
  /** 'any': every name. 'below': names that end in `.host`, but not `host` itself. */
  readonly kind: 'any' | 'below' | 'exactly';
  /** As normalised by the WHATWG URL parser: lower case, IDNA in ASCII, IPv6 in brackets. '' for 'any'. */
  readonly host: string;
  /** Null: the ports of http and https, 80 and 443. */
  readonly port: number | null;
  /** The host may have private addresses of any network. Default: only addresses in `privateNetworks`. */
  readonly mayBePrivate?: true;
}

const HOSTS = 'INPUT_URL_HOSTS';
const NETWORKS = 'INPUT_URL_PRIVATE_NETWORKS';

/**
 * Reads the two settings. `hosts`: `data.example.org, *.example.org, files.example.org:8080, *`, null: nothing is allowed.
 * Throws SETTING_INVALID.
 */
export function parseUrlPolicy(hosts: string | null, privateNetworks: string | null): UrlPolicy {
  return {
    hosts: entriesOf(hosts).map(parseHostRule),
    privateNetworks: entriesOf(privateNetworks).map(parseNetwork),
  };
}

export function isAllowedByName(url: URL, { hosts }: UrlPolicy): boolean {
  return hosts.some((rule) => isMatch(rule, url));
}

/** The private networks, as CIDR, in which the host of a URL may have addresses. */
export function privateNetworksOf(url: URL, { hosts, privateNetworks }: UrlPolicy): readonly string[] {
  const isAny = hosts.some((rule) => rule.mayBePrivate === true && isMatch(rule, url));
  return isAny ? EVERY_NETWORK : privateNetworks;
}

const EVERY_NETWORK: readonly string[] = ['0.0.0.0/0', '::/0'];

function isMatch({ kind, host, port }: HostRule, url: URL): boolean {
  const own = portOf(url);
  if (port === null ? own !== 80 && own !== 443 : own !== port) return false;
  if (kind === 'exactly') return url.hostname === host;
  // Addresses are allowed only if listed themselves; patterns match names only.
  if (isAddress(url.hostname)) return false;
  return kind === 'any' || url.hostname.endsWith(`.${host}`);
}

/**
 * The policy for a URL that the user of this machine has typed: its host and port, and public hosts that it redirects to. A
 * URL with the port of http or https allows both: servers redirect from http to https.
 */
export function policyOfUser(url: URL): UrlPolicy {
  const own = portOf(url);
  const port = own === 80 || own === 443 ? null : own;
  return {
    hosts: [
      { kind: 'exactly', host: url.hostname, port, mayBePrivate: true },
      { kind: 'any', host: '', port: null },
    ],
    privateNetworks: [],
  };
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Whether the operator listed exactly this host, so that messages about it disclose nothing. */
export function isNamedHost({ hostname }: URL, { hosts }: UrlPolicy): boolean {
  return hosts.some(({ kind, host }) => kind === 'exactly' && host === hostname);
}

function entriesOf(list: string | null): string[] {
  return (list ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function parseHostRule(entry: string): HostRule {
  const refuse = (reason: string): Error =>
    failure(generalErrors.SETTING_INVALID, { name: HOSTS, value: entry, reason });
  const [, star, name, portText] = /^(\*\.|\*(?=$|:))?(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) throw refuse('a port is a number from 1 to 65535');
  if (star === '*' && name === '') return { kind: 'any', host: '', port };
  // Parsed like the URLs of requests, so that each host has one spelling.
  const parsed = /[\s/\\@?#*%]/.test(name) || name.endsWith('.') ? null : URL.parse(`http://${name}`);
  if (parsed === null || parsed.hostname === '' || parsed.port !== '')
    throw refuse('give hosts such as data.example.org, *.example.org, data.example.org:8080, or * for any');
  if (star === '*.' && isAddress(parsed.hostname)) throw refuse('an address has no names below it');
  return { kind: star === '*.' ? 'below' : 'exactly', host: parsed.hostname, port };
}

function parseNetwork(entry: string): string {
  const network = entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`;
  // ipaddr.js also accepts ambiguous spellings such as 10.1/8.
  if (!isAddress(network.split('/', 1)[0]) || !ipaddr.isValidCIDR(network))
    throw failure(generalErrors.SETTING_INVALID, {
      name: NETWORKS,
      value: entry,
      reason: 'give networks such as 10.20.0.0/16 or fd00:1234::/32',
    });
  return network;
}
