import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by its number, but answered by the cloud's own host agent (Azure). */
const hostAgents = new Set(['168.63.129.16']);

/** IPv4 inside IPv6 by the oldest way, which no one routes and some systems still unwrap (RFC 4291, 2.5.5.1). */
const compatible = new BlockList();
compatible.addSubnet('::', 96, 'ipv6');

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local (cloud metadata), carrier-grade
 * NAT, multicast, reserved and documentation ranges do not, nor do the IPv6 forms that carry an IPv4 address inside.
 */
export function isPublicAddress(text: string): boolean {
  const version = isIP(text);
  if (version === 0 || (version === 6 && compatible.check(text, 'ipv6'))) return false;
  const address = ipaddr.process(text);
  return address.range() === 'unicast' && !hostAgents.has(address.toString());
}
