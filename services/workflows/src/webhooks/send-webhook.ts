import { createHmac } from 'node:crypto';
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type Keyring, mac } from '@mp/contracts/keyring';
import { Agent, request } from 'undici';
import type { Clock } from '../runs/clock.ts';
import type { Effect, WebhookOutcome } from '../runs/run.ts';
import type { StoredRun } from '../runs/run-document.ts';
import { BodyTooLarge, fillBody } from './fill-body.ts';
import { isPublicAddress } from './public-address.ts';
import { webhookUrlProblem } from './webhook-url.ts';

export type SendWebhook = ReturnType<typeof createWebhooks>['sendWebhook'];

type Resolve = (hostname: string) => Promise<LookupAddress[]>;
type Config = {
  keys: Keyring;
  allowPrivate: boolean;
  production: boolean;
  clock: Clock;
  resolve?: Resolve;
  timeoutMs?: number | undefined;
};

const usualTimeoutMs = 15_000;
const mostBodyBytes = 256 * 1024;
const maxKeptBytes = 2 * 1024;

/** Calls the webhooks of steps: signed, without following redirects, and only at checked public addresses. */
export function createWebhooks({
  keys,
  allowPrivate,
  production,
  clock,
  resolve = allowPrivate ? resolveAnywhere : resolveInDns,
  timeoutMs = usualTimeoutMs,
}: Config) {
  if (allowPrivate && production)
    throw new Error('WEBHOOK_ALLOW_PRIVATE opens the internal network to webhooks and is not allowed in production.');
  // Connects to the checked address itself: the name is not resolved a second time.
  const agent = new Agent({
    connect: { lookup: checkedLookup(resolve, allowPrivate), timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
  });

  return {
    async sendWebhook(run: StoredRun, { key, call }: Effect & { type: 'webhook' }, stopping: AbortSignal): Promise<WebhookOutcome> {
      const problem = webhookUrlProblem(call.url, { allowPrivate });
      if (problem) return refused(`Not called: ${problem}.`);
      const body = bodyOf(run, key, call.body);
      if (body === undefined) return refused('Not called: the body is larger than 256 KiB.');
      const bare = call.method === 'GET';
      const headers = {
        ...call.headers,
        'content-type': 'application/json',
        ...signatureHeaders(keys, run.account_id, key, clock(), bare ? '' : body),
      };
      try {
        const response = await request(call.url, {
          method: call.method,
          headers: { 'user-agent': 'MarketingPlatform-Webhooks/1', ...headers },
          body: bare ? null : body,
          dispatcher: agent,
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping]),
        });
        const said = await firstBytes(response.body);
        return outcomeOf(response.statusCode, said);
      } catch (error) {
        const refusal = refusalIn(error);
        if (refusal) return refused(`Not called: ${refusal.message}.`);
        return {
          ok: false,
          retry: true,
          status: null,
          detail: `No response: ${reasonOf(error)}.`,
        };
      }
    },

    stop: () => agent.destroy(),
  };
}

/** Undefined when the body would be too large. */
function bodyOf(run: StoredRun, key: string, body: unknown): string | undefined {
  try {
    const filled = JSON.stringify(fillBody(body, run, key, mostBodyBytes));
    return Buffer.byteLength(filled) > mostBodyBytes ? undefined : filled;
  } catch (error) {
    if (error instanceof BodyTooLarge) return undefined;
    throw error;
  }
}

/** Standard Webhooks headers. The id is the same for every attempt, so that receivers can detect duplicates. */
function signatureHeaders(keys: Keyring, accountId: string, id: string, now: Date, body: string) {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signatures = [...keys.keys.values()].map(
    (key) => `v1,${createHmac('sha256', accountSecret(key, accountId)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

const accountSecret = (key: Buffer, accountId: string) => mac(key, `webhook ${accountId}`);

/** The secret that verifies the webhook signatures of an account, in the format of Standard Webhooks libraries. */
export function webhookSecret(keys: Keyring, accountId: string): string {
  const key = keys.keys.get(keys.signing);
  if (!key) throw new Error('The webhook keyring has no signing key.');
  return `whsec_${accountSecret(key, accountId).toString('base64')}`;
}

function outcomeOf(status: number, said: string): WebhookOutcome {
  const ok = status >= 200 && status < 300;
  const retry = status >= 500 || status === 429 || status === 408;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return { ok, retry, status, said, detail: `Responded with ${status}.${redirect}${said && ` ${said}`}` };
}

const refused = (detail: string): WebhookOutcome => ({ ok: false, retry: false, status: null, detail });

/** Stops reading after the part that is kept. */
async function firstBytes(body: AsyncIterable<Buffer> & { destroy: () => unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxKeptBytes) break;
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, maxKeptBytes).toString('utf8').trim();
}

class PrivateAddress extends Error {}

function refusalIn(error: unknown): PrivateAddress | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof PrivateAddress) return cause;
  return undefined;
}

function checkedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname).then(
      (found) => {
        const wrong = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
        const [first] = found;
        if (wrong || !first) return done(new PrivateAddress(`${hostname} does not resolve to a public address`), '', 4);
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
  const found = (answer: PromiseSettledResult<string[]>, family: number) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
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
};

/** The reason without network error messages, which may contain internal addresses. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'the request timed out';
    if ('code' in cause && typeof cause.code === 'string') return reasons[cause.code] ?? cause.code;
  }
  return 'the call failed';
}
