import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from '@mp/service-kit/logger';
import { addressSet } from '../../credentials/ip-allow.ts';

/**
 * Determines the client's IP address. `X-Forwarded-For` is used only if a trusted proxy sent it, and is read from the right:
 * the first address that is not a trusted proxy is the client's. Reading stops at anything that is not an address.
 * Untrusted proxies are logged once a minute.
 */
export function createClientAddress(trustedProxies: readonly string[], logger?: Pick<Logger, 'warn'>, now = () => performance.now()) {
  const isTrusted = addressSet(trustedProxies);
  let requests = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function ignored(peer: string) {
    requests += 1;
    if (now() - warnedAt < warnEveryMs) return;
    logger?.warn({ peer, requests }, untrustedProxyMessage);
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

/** Logged because limits, allow-lists and logs see all clients behind an untrusted proxy as one. */
const untrustedProxyMessage =
  'X-Forwarded-For ignored: the peer is not a trusted proxy. If it is your proxy or ingress, add its address to TRUSTED_PROXIES (logged once a minute, with the number of requests since)';

/** The address of a hop, without the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3}):\d{1,5})$/.exec(hop) ?? [];
  const address = plain(bracketed ?? dotted ?? hop);
  return isIP(address) === 0 ? undefined : address;
}

/** A dual-stack socket reports IPv4 addresses as IPv4-mapped IPv6. */
const plain = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);
