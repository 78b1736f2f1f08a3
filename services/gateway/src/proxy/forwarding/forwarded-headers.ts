import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { publicUrlHeader } from '@mp/contracts/errors';
import type { Exchange } from '../exchange.ts';

/**
 * The client headers that are forwarded to services. All others are dropped: credentials, hop-by-hop headers, and headers
 * that claim to come from a gateway (`x-mp-*`, `eg-*`, `x-forwarded-*`, `x-account-id`, …).
 */
const passed = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'prefer',
  'referer',
  'user-agent',
] as const;

/** version, trace id, span id, flags; all zeros mean none (W3C Trace Context §3.2). */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function forwardedHeaders(
  { req, requestId, address, site, traceparent: own }: Exchange,
  extra: readonly string[],
): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId, 'x-forwarded-for': address, [publicUrlHeader]: site.publicUrl };
  for (const name of passed) copy(req.headers, name, headers);
  for (const name of extra) copy(req.headers, name, headers);
  const { traceparent, tracestate } = req.headers;
  if (typeof traceparent === 'string' && traceparentPattern.test(traceparent)) {
    headers.traceparent = traceparent;
    if (typeof tracestate === 'string') headers.tracestate = tracestate;
  }
  // If tracing is on, the gateway's own span is the parent.
  if (own !== undefined) headers.traceparent = own;
  return headers;
}

function copy(from: IncomingHttpHeaders, name: string, to: Record<string, string>) {
  const value = from[name];
  if (typeof value === 'string') to[name] = value;
}

/** Response headers that are not relayed: hop-by-hop ones (RFC 9110 §7.6.1), and those that the gateway itself sets. */
const dropped = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'server',
  'x-powered-by',
  'x-request-id',
]);

/** The response headers for the client: the gateway's own, plus those of the service. */
export function relayedHeaders(own: OutgoingHttpHeaders, from: IncomingHttpHeaders): OutgoingHttpHeaders {
  const headers = { ...own };
  const named = from.connection === undefined || from.connection === 'keep-alive' ? [] : from.connection.toLowerCase().split(/\s*,\s*/);
  for (const name in from) {
    const value = from[name];
    if (value !== undefined && !dropped.has(name) && !named.includes(name)) headers[name] = value;
  }
  return headers;
}
