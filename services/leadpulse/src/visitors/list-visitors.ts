import { page } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { withContacts } from '@mp/service-kit/include-contacts';
import { addNextLink } from '@mp/service-kit/list';
import type { EventsStore } from '../events/events-store.ts';
import type { GoalsStore } from '../goals/goals-store.ts';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import { type EventMatch, matcherOf, nameOf } from '../reports/event-match.ts';
import type { Visitor } from './visitor.ts';
import { claimsIn, ListVisitorsQuery, type Resolved } from './visitor-filters.ts';
import { VisitorView, viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

/** How long a request looks for visitors whose events match. */
const maxLookMs = 3_000;

type Deps = {
  visitors: VisitorsStore;
  events: EventsStore;
  goals: GoalsStore;
  identities: IdentitiesStore;
  broker: Pick<Broker, 'request'>;
};

export function listVisitors(app: Server, { visitors, events, goals, identities, broker }: Deps) {
  /** Throws VALIDATION_ERROR if the goal does not exist. */
  async function matchOf(accountId: AccountId, goal: string | undefined): Promise<EventMatch | undefined> {
    if (goal === undefined) return undefined;
    const found = await goals.find(accountId, goal);
    if (!found) throw invalid('/query/goal', 'unknown_goal', 'No goal has this ID; see GET /v2/leadpulse/goals.');
    return found.match;
  }

  async function resolve(
    accountId: AccountId,
    { contact_id, q, event }: ListVisitorsQuery,
    match: EventMatch | undefined,
  ): Promise<Resolved> {
    const named = q === undefined ? [] : [...(await identities.resolve(accountId, claimsIn(q))).values()];
    const survivors = await identities.survivors(accountId, named);
    const people = [...new Set(named.map((id) => survivors.get(id) ?? id))];
    return {
      contacts: contact_id === undefined ? [] : await identities.withMerged(accountId, contact_id),
      found: (await Promise.all(people.map((id) => identities.withMerged(accountId, id)))).flat(),
      names: [...new Set([event, match && nameOf(match)].filter((name) => name !== undefined))],
    };
  }

  /** One page of the visitors, without those that only their events exclude. */
  async function find(accountId: AccountId, query: ListVisitorsQuery) {
    const match = await matchOf(accountId, query.goal);
    const resolved = await resolve(accountId, query, match);
    const withNames = havingEvents(events, accountId, resolved.names);
    const reached = match && (match.page !== undefined || match.where !== undefined) ? reachedBy(events, accountId, match) : undefined;
    const end = performance.now() + maxLookMs;
    const items: Visitor[] = [];
    let { cursor } = query;
    for (;;) {
      const found = await visitors.list(accountId, { ...query, cursor, limit: query.limit - items.length }, resolved);
      const named = await withNames(found.items);
      items.push(...(reached ? await reached(named) : named));
      const { has_more, next_cursor } = found.pagination;
      if (!has_more || next_cursor === null || items.length >= query.limit || performance.now() > end)
        return { items, pagination: { ...found.pagination, limit: query.limit } };
      cursor = next_cursor;
    }
  }

  app.get(
    '/v2/leadpulse/visitors',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listVisitors',
        summary: 'List visitors',
        description:
          '**Filters.** `visitor_id`, `contact_id` and `q` combine with every filter and sort. `identified`, `event`, `country`, `channel`, `source` and `goal` combine with each other, ' +
          'with a range over `last_seen_at` and with the sort by it; if many visitors match one of them and few match all, the request can fail with 400 `too_broad`; add a range. ' +
          'A range over `last_seen_at` or `first_seen_at` needs the sort by the same field.',
        querystring: ListVisitorsQuery,
        response: { 200: page(VisitorView) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await find(request.principal.accountId, request.query);
      const views = items.map(viewOf);
      const includesContacts = request.query.include?.includes('contact');
      const shown = includesContacts ? await withContacts(broker, request.principal, views, ({ contact_id }) => contact_id) : views;
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: shown, pagination } };
    },
  );
}

/** Which of these visitors have events of all these names. Of a visitor with more names than are stored, its events are read. */
const havingEvents = (events: EventsStore, accountId: AccountId, names: readonly string[]) => async (visitors: readonly Visitor[]) => {
  let having = visitors;
  for (const name of names) {
    const open = having.filter(({ event_names }) => !event_names.includes(name)).map(({ id }) => id);
    const found = open.length === 0 ? new Set<string>() : await events.visitorsWith(accountId, open, name);
    having = having.filter(({ id, event_names }) => event_names.includes(name) || found.has(id));
  }
  return having;
};

/** Which of these visitors have an event that reaches a goal. */
const reachedBy = (events: EventsStore, accountId: AccountId, match: EventMatch) => {
  const isMeant = matcherOf(match);
  return async (visitors: readonly Visitor[]): Promise<Visitor[]> => {
    const reached = new Set<string>();
    const ids = visitors.map(({ id }) => id);
    for await (const { event, visitor } of events.ofVisitors(accountId, ids, nameOf(match)))
      if (isMeant({ ...event, path: event.page?.path ?? null })) reached.add(visitor);
    return visitors.filter(({ id }) => reached.has(id));
  };
};
