import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressSet } from '../env.ts';

/**
 * The address a request came from. `X-Forwarded-For` is read only when a trusted proxy sent it, from the right: the
 * first address that is no trusted proxy is the client's, whatever it wrote to the left of it.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const isTrusted = addressSet(trustedProxies);

  return (req: IncomingMessage): string => {
    const peer = plain(req.socket.remoteAddress ?? '');
    if (!isTrusted(peer)) return peer;
    const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    const hops = forwarded.map((hop) => plain(hop.trim())).filter((hop) => isIP(hop) !== 0);
    return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer;
  };
}

/** A socket that listens on both families shows IPv4 addresses as IPv6. */
const plain = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);
