import { z } from 'zod';
import type { Rejection } from '../events/event.ts';

const anything = z.unknown().optional();

/**
 * The fields that a page may send. Their values are checked as those of any other event. Identifiers of contacts are not among
 * them: anyone can send an email address, so only a signed token identifies.
 */
const PageEvent = z.strictObject({
  event: anything,
  message_id: anything,
  timestamp: anything,
  properties: anything,
  value: anything,
  token: anything,
  context: z.strictObject({ page: anything, campaign: anything, locale: anything, timezone: anything, screen: anything }).optional(),
});
export type PageEvent = z.output<typeof PageEvent>;

export const maxPageEvents = 100;

const maxDropped = 1_000_000;

export const IngestBody = z.strictObject({
  sent_at: anything,
  visitor_id: anything,
  /** How many events the page dropped since its last request. A wrong number must not stop the events. */
  dropped: z.number().int().min(0).max(maxDropped).optional().catch(undefined),
  events: z.array(z.unknown()).min(1).max(maxPageEvents),
});

/** The event, or why it is rejected. */
export function pageEventOf(item: unknown): PageEvent | Rejection {
  const parsed = PageEvent.safeParse(item);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code !== 'unrecognized_keys') return { code: 'invalid_type', path: '/', message: 'An event must be an object.' };
  const [field = ''] = issue.keys;
  const path = `/${[...issue.path, field].join('/')}`;
  const hint = ['email', 'external_id', 'contact_id'].includes(field)
    ? 'a page cannot name a contact; send a token that your server signed'
    : 'pages cannot send this field';
  return { code: 'unrecognized_keys', path, message: `${path}: ${hint}` };
}
