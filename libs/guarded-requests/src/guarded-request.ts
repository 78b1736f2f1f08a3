import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { inSpan } from '@mp/service-kit/traces';
import { Agent, request } from 'undici';
import { isPublicAddress } from './public-address.ts';
import { urlProblem } from './url-problem.ts';

export type GuardedRequest = ReturnType<typeof createGuardedRequests>['send'];

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;
export type GuardConfig = {
  allowPrivate: boolean;
  resolve?: Resolve | undefined;
  timeoutMs?: number | undefined;
  /** What is kept of the body of a response; by default `maxKeptBytes`. */
  maxBytes?: number | undefined;
};

type Outgoing = { url: string; method: string; headers: Record<string, string>; body: string | null };

/** `refused`: not sent, because the URL is not allowed. `silent`: there was no response, for this reason. */
export type Exchange =
  | {
      type: 'response';
      status: number;
      said: string;
      contentType?: string | undefined;
      retryAfter?: string | undefined;
      location?: string | undefined;
    }
  | { type: 'refused'; problem: string }
  | { type: 'silent'; reason: string };

const usualTimeoutMs = 15_000;
/** What is kept of the body of a response by default. */
export const maxKeptBytes = 2 * 1024;

/** Sends requests to URLs of users: only to checked public addresses, without following redirects, and with a time-out. */
export function createGuardedRequests({
  allowPrivate,
  resolve = allowPrivate ? resolveAnywhere : resolveInDns,
  timeoutMs = usualTimeoutMs,
  maxBytes = maxKeptBytes,
}: GuardConfig) {
  // Connects to the checked address itself: the name is not resolved a second time.
  const agent = new Agent({
    connect: { lookup: checkedLookup(resolve, allowPrivate), timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
  });

  return {
    async send({ url, method, headers, body }: Outgoing, stopping: AbortSignal): Promise<Exchange> {
      const problem = urlProblem(url, { allowPrivate });
      if (problem) return { type: 'refused', problem };
      // Not AbortSignal.timeout: its timer and its error outlive the request.
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(new DOMException('The request timed out.', 'TimeoutError')), timeoutMs);
      const stop = () => ending.abort(stopping.reason);
      stopping.addEventListener('abort', stop, { once: true });
      if (stopping.aborted) stop();
      try {
        return await inSpan(method, { kind: 'client', attributes: attributesOf(method, url) }, async (span): Promise<Exchange> => {
          const response = await request(url, {
            method,
            headers: { 'user-agent': 'MarketingPlatform-Webhooks/1', ...headers },
            body,
            dispatcher: agent,
            signal: ending.signal,
          });
          span.setAttribute('http.response.status_code', response.statusCode);
          const { 'content-type': contentType, 'retry-after': retryAfter, location } = response.headers;
          const said = await firstBytes(response.body, maxBytes);
          return {
            type: 'response',
            status: response.statusCode,
            said,
            contentType: typeof contentType === 'string' ? contentType : undefined,
            retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
            location: typeof location === 'string' ? location : undefined,
          };
        });
      } catch (error) {
        return { type: 'silent', reason: !allowPrivate && isUnresolved(error) ? notPublic : reasonOf(error) };
      } finally {
        clearTimeout(timer);
        stopping.removeEventListener('abort', stop);
      }
    },

    stop: () => agent.destroy(),
  };
}

/** Without path and query, which may hold the receiver's own secret. */
function attributesOf(method: string, url: string) {
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol.slice(0, -1);
  const address = { 'server.address': hostname, 'server.port': port === '' ? (defaultPorts[scheme] ?? 0) : Number(port) };
  return { 'http.request.method': method, 'url.scheme': scheme, ...address };
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** Stops reading after the part that is kept. */
async function firstBytes(body: AsyncIterable<Buffer> & { destroy: () => unknown }, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8').trim();
}

class PrivateAddress extends Error {}

/** One text for names that do not exist and names of the internal network, so that nobody learns which of these exist. */
const notPublic = 'the host name does not resolve to a public address';

function isUnresolved(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PrivateAddress || ('code' in cause && (cause.code === 'ENOTFOUND' || cause.code === 'ENODATA'))) return true;
  return false;
}

function checkedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname).then(
      (found) => {
        const wrong = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
        const [first] = found;
        if (wrong || !first) return done(new PrivateAddress(notPublic), '', 4);
        if (all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 4),
    );
  };
}

/** Uses its own DNS queries rather than the shared thread pool, so that a slow name server does not delay other lookups. */
const dns = new Resolver({ timeout: 2_000, tries: 2 });

const resolveInDns: Resolve = async (hostname) => {
  const literal = isIP(hostname);
  if (literal) return [{ address: hostname, family: literal }];
  const [four, six] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const found = (lookup: PromiseSettledResult<string[]>, family: number) =>
    lookup.status === 'fulfilled' ? lookup.value.map((address) => ({ address, family })) : [];
  return [...found(four, 4), ...found(six, 6)];
};

/** Also resolves local names, such as those in the hosts file. */
const resolveAnywhere: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ETIMEOUT: 'the name server did not respond',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate is not signed by a known authority, or an intermediate certificate is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate is not signed by a known authority, or an intermediate certificate is missing',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host name',
};

/** The reason without network error messages, which may contain internal addresses. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'the request timed out';
    if ('code' in cause && typeof cause.code === 'string')
      return reasons[cause.code] ?? (/^(ERR_SSL|EPROTO)/.test(cause.code) ? 'the TLS handshake failed' : cause.code);
  }
  return 'the call failed';
}
