/**
 * Which addresses may be connected to: public unicast addresses and networks allowed by the operator, but never the
 * metadata services of clouds, which return secrets.
 *
 * ipaddr.js classifies addresses by the IANA special-purpose registries (RFC 6890). Its 'unicast' is the remainder, so IPv6
 * addresses must also be in 2000::/3, the only block that is assigned (RFC 4291 section 2.4).
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Rejected even within an allowed network. */
const METADATA_SERVICES: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Azure, Google Cloud, OpenStack and others
  '169.254.170.2', // AWS, of containers
  '169.254.170.23', // AWS, of pods
  '169.254.0.23', // Tencent
  '168.63.129.16', // Azure, a public address
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS, of pods
  'fd20:ce::254', // Google Cloud
  'fe80::a9fe:a9fe', // OpenStack
]);

/** `text`: as returned by getaddrinfo. Texts that are not addresses are rejected. */
export function isAllowedAddress(text: string, privateNetworks: readonly string[]): boolean {
  // Checked with Node, too: texts such as 0177.0.0.1 have two readings, and ipaddr.js may differ from the socket.
  if (isIP(text) === 0) return false;
  const address: Address = ipaddr.process(withoutZone(text));
  if (METADATA_SERVICES.has(address.toString())) return false;
  return isPublic(address) || privateNetworks.some((network) => contains(network, address));
}

/** Whether a host, as `URL.hostname` or plain, is an address and no name. */
export function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

function contains(network: string, address: Address): boolean {
  const cidr = ipaddr.parseCIDR(network);
  return cidr[0].kind() === address.kind() && address.match(cidr);
}

function withoutZone(text: string): string {
  return text.split('%', 1)[0];
}
