import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** The client's IP address, as the gateway saw it. The gateway sets this header and discards the client's own. */
export function addressOf(request: FastifyRequest): string {
  const address = String(request.headers['x-forwarded-for'] ?? request.ip);
  return isIP(address) === 0 ? '0.0.0.0' : address;
}

/**
 * What limits by address count as one client: an IPv4 address, including one that a dual-stack socket reports as IPv6, or the network of an
 * IPv6 address. One household or server usually has a whole /64, one customer of a provider up to a /48.
 */
export function networkOf(address: string, ipv6Prefix: 48 | 64 = 64): string {
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString().replace(/%.*/, '')}/${ipv6Prefix}`).toString();
}
