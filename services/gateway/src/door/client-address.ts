import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from '@mp/service-kit/logger';
import { addressSet } from '../env.ts';

/**
 * The address a request came from. `X-Forwarded-For` is read only when a trusted proxy sent it, from the right: the
 * first address that is no trusted proxy is the client's, whatever it wrote to the left of it. Where something stands
 * that is no address, nothing further is believed. A logger is told once of a proxy that is not trusted.
 */
export function createClientAddress(trustedProxies: readonly string[], logger?: Pick<Logger, 'warn'>) {
  const isTrusted = addressSet(trustedProxies);
  let hasWarned = false;
  return ({ socket, headers }: IncomingMessage): string => {
    const peer = plain(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined) return peer;
    if (!isTrusted(peer)) {
      if (!hasWarned) logger?.warn({ peer }, unheard);
      hasWarned = true;
      return peer;
    }
    let address = peer;
    for (const hop of [forwarded].flat().join(',').split(',').reverse()) {
      const named = addressIn(hop.trim());
      if (named === undefined) return address;
      address = named;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

/** Without it, everybody behind the proxy is one address: limits, allow-lists and logs take them for one client. */
const unheard =
  'a request named its client in X-Forwarded-For and came from no trusted proxy: if this is your proxy or ingress, add its address to TRUSTED_PROXIES (this is said once)';

/** The address of a hop, which some proxies write with its port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3}):\d{1,5})$/.exec(hop) ?? [];
  const address = plain(bracketed ?? dotted ?? hop);
  return isIP(address) === 0 ? undefined : address;
}

/** A socket that listens on both families shows IPv4 addresses as IPv6. */
const plain = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);
