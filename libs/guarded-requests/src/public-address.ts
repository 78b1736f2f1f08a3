import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A public address, but one that reaches the host agent of the cloud (Azure). */
const hostAgents = new Set(['168.63.129.16']);

/** IPv4-compatible IPv6 addresses: not routed, but some systems still unwrap them (RFC 4291, 2.5.5.1). */
const compatible = new BlockList();
compatible.addSubnet('::', 96, 'ipv6');

/**
 * Whether an IP address is on the public internet. Private, loopback, link-local (cloud metadata), carrier-grade NAT,
 * multicast, reserved and documentation ranges are not, nor is an IPv6 address that embeds an IPv4 address, unless it is a
 * mapped public one.
 */
export function isPublicAddress(text: string): boolean {
  const version = isIP(text);
  if (version === 0 || (version === 6 && compatible.check(text, 'ipv6'))) return false;
  const address = ipaddr.process(text);
  return address.range() === 'unicast' && !hostAgents.has(address.toString());
}
