import { ApiError } from '@mp/contracts/errors';
import type { Exchange, GuardedRequest } from '@mp/guarded-requests/guarded-request';
import type { AccountId } from '@mp/ids';
import { LRUCache } from 'lru-cache';
import type { CheckedLink } from './checked-link.ts';

const maxRedirects = 5;
/** Checks of different links of one email at the same time. */
const maxAtOnce = 5;
/** Checks of the process, each of one account: the service also sends emails. */
const maxChecks = 10;
/** For all links of an email. The gateway waits longer. */
const maxTotalMs = 15_000;
export const linkTimeoutMs = 5_000;
const keptMs = 5 * 60_000;

export type CheckLinks = ReturnType<typeof createLinkChecker>;

/**
 * Requests the page of each link, as a reader's browser would. A page that works is not requested again for five minutes. Only
 * public addresses are requested.
 */
export function createLinkChecker({ send }: { send: GuardedRequest }) {
  const working = new LRUCache<string, CheckedLink>({ max: 5_000, ttl: keptMs });
  const checking = new Set<AccountId>();

  async function checkOne(url: string, stopping: AbortSignal): Promise<CheckedLink> {
    const known = working.get(url);
    if (known) return known;
    const request = (target: string, method: string) =>
      send({ url: target, method, headers: { 'user-agent': 'MarketingPlatform-Links/1' }, body: null }, stopping);
    let target = url;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      if (stopping.aborted) return { url, ok: null, status: null, problem: 'It was not checked, because the links took too long.' };
      const head = await request(target, 'HEAD');
      // Some servers support only GET.
      const exchange = head.type === 'response' && head.status >= 400 ? await request(target, 'GET') : head;
      const next = nextOf(exchange, target);
      if (next === 'invalid') return { url, ok: false, status: statusOf(exchange), problem: 'It redirects to an invalid URL.' };
      if (next === undefined) {
        const checked = { url, ...verdictOn(exchange) };
        if (checked.ok) working.set(url, checked);
        return checked;
      }
      target = next;
    }
    return { url, ok: false, status: null, problem: `It redirects more than ${maxRedirects} times.` };
  }

  /**
   * The links in the order of the URLs, each of which is given once. Ends early when the caller leaves. Throws RATE_LIMITED while
   * a check of the account is in progress.
   */
  return async function checkLinks(accountId: AccountId, urls: readonly string[], leaving: AbortSignal): Promise<CheckedLink[]> {
    if (checking.has(accountId) || checking.size >= maxChecks)
      throw new ApiError('RATE_LIMITED', 'Another link check is in progress; retry when it has finished.', { retryAfter: 2 });
    checking.add(accountId);
    const stopping = AbortSignal.any([AbortSignal.timeout(maxTotalMs), leaving]);
    const checked: CheckedLink[] = [];
    const waiting = [...urls.entries()];
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) checked[next[0]] = await checkOne(next[1], stopping);
    };
    try {
      await Promise.all(Array.from({ length: maxAtOnce }, work));
    } finally {
      checking.delete(accountId);
    }
    return checked;
  };
}

const statusOf = (exchange: Exchange) => (exchange.type === 'response' ? exchange.status : null);

/** Where a redirect leads; undefined for other responses. */
function nextOf(exchange: Exchange, target: string): string | undefined {
  if (exchange.type !== 'response' || exchange.status < 300 || exchange.status >= 400 || exchange.location === undefined) return undefined;
  return URL.parse(exchange.location, target)?.href ?? 'invalid';
}

function verdictOn(exchange: Exchange): Pick<CheckedLink, 'ok' | 'status' | 'problem'> {
  if (exchange.type === 'refused') return { ok: false, status: null, problem: sentence(exchange.problem) };
  if (exchange.type === 'silent') return { ok: false, status: null, problem: sentence(exchange.reason) };
  const { status } = exchange;
  const problem = status === 404 || status === 410 ? `The page does not exist (${status}).` : `The page responds with status ${status}.`;
  return { ok: status < 400, status, problem: status < 400 ? null : problem };
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
