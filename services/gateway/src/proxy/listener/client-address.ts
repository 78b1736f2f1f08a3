import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from '@mp/service-kit/logger';
import { addressSet } from '../../credentials/ip-allow.ts';

/**
 * The address a request came from. `X-Forwarded-For` is read only when a trusted proxy sent it, from the right: the
 * first address that is no trusted proxy is the client's, whatever it wrote to the left of it. Where something stands
 * that is no address, nothing further is believed. A logger is told of proxies that are not trusted, once a minute.
 */
export function createClientAddress(trustedProxies: readonly string[], logger?: Pick<Logger, 'warn'>, now = () => performance.now()) {
  const isTrusted = addressSet(trustedProxies);
  let requests = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function ignored(peer: string) {
    requests += 1;
    if (now() - warnedAt < warnEveryMs) return;
    logger?.warn({ peer, requests }, unheard);
    requests = 0;
    warnedAt = now();
  }

  return ({ socket, headers }: IncomingMessage): string => {
    const peer = plain(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined) return peer;
    if (!isTrusted(peer)) {
      ignored(peer);
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

const warnEveryMs = 60_000;

/** Without it, everybody behind the proxy is one address: limits, allow-lists and logs take them for one client. */
const unheard =
  'X-Forwarded-For is ignored: it came from a peer that is no trusted proxy. If this peer is your proxy or ingress, add its address to TRUSTED_PROXIES (reported once a minute, with the number of requests since)';

/** The address of a hop, which some proxies write with its port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3}):\d{1,5})$/.exec(hop) ?? [];
  const address = plain(bracketed ?? dotted ?? hop);
  return isIP(address) === 0 ? undefined : address;
}

/** A socket that listens on both families shows IPv4 addresses as IPv6. */
const plain = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);
