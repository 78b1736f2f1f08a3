import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by its number, but answered by the cloud's own host agent (Azure). */
const hostAgents = new Set(['168.63.129.16']);

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local (cloud metadata), carrier-grade
 * NAT, multicast, reserved and documentation ranges do not, nor do the IPv6 forms that carry an IPv4 address inside.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  return address.range() === 'unicast' && !hostAgents.has(address.toString());
}
