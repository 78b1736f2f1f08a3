import { EventWhere, eventWhereHolds } from '@mp/rules/where';
import { z } from 'zod';
import { EventName } from '../events/event-body.ts';
import type { ReportEvent } from '../events/report-events.ts';

const pageview = '$pageview';

/** Which events a report means: those of a name, page views of a page, or an event on a page. */
export const EventMatch = z
  .strictObject({
    event: EventName.optional().describe('The name of the event; a page view if only `page` is given.'),
    page: z
      .string()
      .min(1)
      .max(500)
      .startsWith('/', 'expected a path such as /pricing')
      .optional()
      .describe('The path of the page; `/docs/*` matches every path below `/docs/`.'),
    where: EventWhere.optional().describe(
      'Conditions on `properties.<name>`, `value.amount` and `value.currency` of the event; all must hold.',
    ),
  })
  .refine(({ event, page }) => event !== undefined || page !== undefined, {
    message: 'expected at least one of event and page',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });
export type EventMatch = z.output<typeof EventMatch>;

export const nameOf = ({ event = pageview }: EventMatch): string => event;

/** The names of all events that any of these can match. */
export const namesOf = (matches: readonly EventMatch[]): string[] => [...new Set(matches.map(nameOf))];

/** Whether an event is meant. */
export function matcherOf(match: EventMatch): (event: Pick<ReportEvent, 'name' | 'path' | 'properties' | 'value'>) => boolean {
  const name = nameOf(match);
  const holds = match.where && eventWhereHolds(match.where);
  const isPage = match.page === undefined ? undefined : pageMatcher(match.page);
  return (event) =>
    event.name === name &&
    (isPage === undefined || (event.path != null && isPage(event.path))) &&
    (holds === undefined || holds({ properties: event.properties, value: amountOf(event) }));
}

function pageMatcher(page: string): (path: string) => boolean {
  if (!page.endsWith('*')) return (path) => path === page;
  const start = page.slice(0, -1);
  return (path) => path.startsWith(start);
}

const amountOf = ({ value }: Pick<ReportEvent, 'value'>) => value && { amount: value.units / 10_000, currency: value.currency };
