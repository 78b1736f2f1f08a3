import type { Exchange, GuardedRequest } from '@mp/guarded-requests/guarded-request';
import { LRUCache } from 'lru-cache';
import type { CheckedLink } from './checked-link.ts';

const maxRedirects = 5;
const maxAtOnce = 10;
/** For all links of a request. The gateway waits longer. */
const maxTotalMs = 15_000;
export const linkTimeoutMs = 5_000;
const keptMs = 5 * 60_000;

export type CheckLinks = ReturnType<typeof createLinkChecker>;

/**
 * Requests the page of each link, as a reader's browser would, and keeps what it finds for five minutes. Only public addresses
 * are requested.
 */
export function createLinkChecker({ send }: { send: GuardedRequest }) {
  const recent = new LRUCache<string, CheckedLink>({ max: 5_000, ttl: keptMs });

  async function checkOne(url: string, stopping: AbortSignal): Promise<CheckedLink> {
    const known = recent.get(url);
    if (known) return known;
    if (stopping.aborted) return { url, ok: false, status: null, problem: 'It was not checked, because the other links took too long.' };
    const request = (target: string, method: string) =>
      send({ url: target, method, headers: { 'user-agent': 'MarketingPlatform-Links/1' }, body: null }, stopping);
    let target = url;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const head = await request(target, 'HEAD');
      // Some servers support only GET.
      const exchange = head.type === 'response' && head.status >= 400 ? await request(target, 'GET') : head;
      const next = nextOf(exchange, target);
      if (next === undefined) {
        const checked = { url, ...verdictOn(exchange) };
        if (exchange.type === 'response') recent.set(url, checked);
        return checked;
      }
      target = next;
    }
    return { url, ok: false, status: null, problem: `It redirects more than ${maxRedirects} times.` };
  }

  /** The links in the order of the URLs. Each URL should be given once. */
  return async function checkLinks(urls: readonly string[]): Promise<CheckedLink[]> {
    const stopping = AbortSignal.timeout(maxTotalMs);
    const checked: CheckedLink[] = [];
    const waiting = [...urls.entries()];
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) checked[next[0]] = await checkOne(next[1], stopping);
    };
    await Promise.all(Array.from({ length: maxAtOnce }, work));
    return checked;
  };
}

function nextOf(exchange: Exchange, target: string): string | undefined {
  if (exchange.type !== 'response' || exchange.status < 300 || exchange.status >= 400 || exchange.location === undefined) return undefined;
  return URL.parse(exchange.location, target)?.href;
}

function verdictOn(exchange: Exchange): Pick<CheckedLink, 'ok' | 'status' | 'problem'> {
  if (exchange.type === 'refused') return { ok: false, status: null, problem: sentence(exchange.problem) };
  if (exchange.type === 'silent') return { ok: false, status: null, problem: sentence(exchange.reason) };
  const { status } = exchange;
  const problem = status === 404 || status === 410 ? `The page does not exist (${status}).` : `The page responds with status ${status}.`;
  return { ok: status < 400, status, problem: status < 400 ? null : problem };
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
