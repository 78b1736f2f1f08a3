import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** What happens to the n-th request instead of its response: the server asks to wait, says so without for how long, fails, or ends in the middle of the body. */
export type Fault = 'limit' | 'limit-bare' | 'fail' | 'break';
type Handler = (url: URL, origin: string) => object | undefined;
type Test = { after: (cleanUp: () => void) => void };

/** A server that responds as the documents of another system say. Tests read from it. */
export async function recordedServer(t: Test, handler: Handler, faults: Readonly<Record<number, Fault>> = {}) {
  const requests: { path: string; headers: Record<string, unknown> }[] = [];
  const open = { now: 0, most: 0 };
  const server = createServer(async (request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => {
      open.now -= 1;
    });
    const origin = `http://${request.headers.host}`;
    requests.push({ path: request.url ?? '', headers: request.headers });
    const fault = faults[requests.length];
    const found = handler(new URL(request.url ?? '/', origin), origin);
    const body = JSON.stringify(found ?? { title: 'Resource Not Found' });
    // Requests that were sent together are open together.
    await setTimeout(1);
    if (fault === 'limit') return response.writeHead(429, { 'retry-after': '3' }).end('{}');
    if (fault === 'limit-bare') return response.writeHead(429).end('{}');
    if (fault === 'fail') return response.writeHead(500).end('<h1>Internal Server Error</h1>');
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    if (fault === 'break') return void response.write(body.slice(0, body.length / 2), () => response.destroy());
    return response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, requests, open };
}

type Json = Record<string, unknown>;

/** Mailchimp: `offset` and `count`; an audience has its own members. */
export function mailchimpAccount(
  members: Readonly<Record<string, readonly Json[]>>,
  { html = '', abuse = [] as readonly Json[], page = 1_000 } = {},
): Handler {
  const pageOf = (url: URL, name: string, items: readonly Json[]) => {
    const offset = Number(url.searchParams.get('offset'));
    const count = Math.min(page, Number(url.searchParams.get('count') ?? 10));
    return { [name]: items.slice(offset, offset + count), total_items: items.length };
  };
  const mergeFields = [
    { merge_id: 1, tag: 'FNAME', name: 'First Name', type: 'text' },
    { merge_id: 2, tag: 'LNAME', name: 'Last Name', type: 'text' },
    { merge_id: 5, tag: 'SHOESIZE', name: 'Shoe size', type: 'number' },
  ];
  return (url) => {
    const [, list = '', what = ''] = /^\/3\.0\/lists\/([^/]+)\/([\w-]+)$/.exec(url.pathname) ?? [];
    if (url.pathname === '/3.0/lists')
      return pageOf(
        url,
        'lists',
        Object.keys(members).map((id) => ({ id, name: `Audience ${id}` })),
      );
    if (what === 'merge-fields') return pageOf(url, 'merge_fields', mergeFields);
    if (what === 'members') return pageOf(url, 'members', members[list] ?? []);
    if (what === 'abuse-reports') return pageOf(url, 'abuse_reports', list === Object.keys(members)[0] ? abuse : []);
    if (url.pathname === '/3.0/templates')
      return pageOf(
        url,
        'templates',
        html
          ? [
              { id: 7, name: 'Welcome', type: 'user', active: true },
              { id: 8, name: 'Never used', type: 'user' },
            ]
          : [],
      );
    if (url.pathname === '/3.0/campaigns') return pageOf(url, 'campaigns', html ? [{ id: 'c1', settings: { template_id: 7 } }] : []);
    if (url.pathname === '/3.0/campaigns/c1/content') return { html, plain_text: '' };
    return undefined;
  };
}

export type RecordedEvent = { id: string; name: string; email?: string; external_id?: string; datetime: string; event_properties?: Json };

/** An event refers to its metric and profile, which are included once in a page. */
function includedIn(events: readonly RecordedEvent[]) {
  const metrics = new Set(events.map(({ name }) => name));
  const profiles = new Map(events.map(({ email, external_id }) => [`${email} ${external_id}`, { email, external_id }]));
  return [
    ...[...metrics].map((name) => ({ type: 'metric', id: name, attributes: { name } })),
    ...[...profiles].map(([id, attributes]) => ({ type: 'profile', id, attributes })),
  ];
}

/** Klaviyo: cursors in `links.next`, a whole URL. */
export function klaviyoAccount(
  profiles: readonly Json[],
  { members = {} as Record<string, readonly string[]>, html = '', page = 100, events = [] as readonly RecordedEvent[] } = {},
): Handler {
  const pageOf = <Item extends Json>(url: URL, origin: string, items: readonly Item[]) => {
    const start = Number(url.searchParams.get('page[cursor]') ?? 0);
    const next = new URL(url.pathname + url.search, origin);
    next.searchParams.set('page[cursor]', String(start + page));
    return { data: items.slice(start, start + page), links: { self: url.href, next: start + page < items.length ? next.href : null } };
  };
  return (url, origin) => {
    const [, list = ''] = /^\/api\/lists\/([^/]+)\/relationships\/profiles$/.exec(url.pathname) ?? [];
    if (list)
      return pageOf(
        url,
        origin,
        (members[list] ?? []).map((id) => ({ type: 'profile', id })),
      );
    if (url.pathname === '/api/lists')
      return pageOf(
        url,
        origin,
        Object.keys(members).map((id) => ({ type: 'list', id, attributes: { name: `List ${id}` } })),
      );
    if (url.pathname === '/api/profiles')
      return pageOf(
        url,
        origin,
        profiles.map((attributes) => ({ type: 'profile', id: String(attributes.email), attributes })),
      );
    if (url.pathname === '/api/accounts') return { data: [{ type: 'account', id: 'A', attributes: { preferred_currency: 'EUR' } }] };
    if (url.pathname === '/api/events') {
      const { data, links } = pageOf(url, origin, events);
      return {
        ...{ links, included: includedIn(data) },
        data: data.map(({ id, name, email, external_id, datetime, event_properties }) => ({
          ...{ type: 'event', id, attributes: { datetime, event_properties } },
          relationships: { metric: { data: { id: name } }, profile: { data: { id: `${email} ${external_id}` } } },
        })),
      };
    }
    if (url.pathname === '/api/templates')
      return pageOf(url, origin, html ? [{ type: 'template', id: 'T1', attributes: { name: 'Welcome', editor_type: 'CODE', html } }] : []);
    return undefined;
  };
}

/** listmonk: `page` from 1 and `per_page`. */
export function listmonkInstance(subscribers: readonly Json[], { bounces = [] as readonly Json[], html = '' } = {}): Handler {
  const pageOf = (url: URL, items: readonly Json[]) => {
    const number = Number(url.searchParams.get('page') ?? 1);
    const size = Number(url.searchParams.get('per_page') ?? 20);
    return { data: { results: items.slice((number - 1) * size, number * size), total: items.length, per_page: size, page: number } };
  };
  return (url) => {
    if (url.pathname === '/api/lists')
      return pageOf(url, [
        { id: 1, name: 'News', optin: 'double' },
        { id: 2, name: 'Offers', optin: 'single' },
      ]);
    if (url.pathname === '/api/subscribers') return pageOf(url, subscribers);
    if (url.pathname === '/api/bounces') return pageOf(url, bounces);
    if (url.pathname === '/api/templates')
      return { data: html ? [{ id: 1, name: 'Welcome', type: 'campaign', subject: '', body: html, is_default: true }] : [] };
    return undefined;
  };
}
