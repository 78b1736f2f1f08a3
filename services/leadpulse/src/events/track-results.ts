import type { AccountId } from '@mp/ids';
import { ambiguityIn } from '@mp/service-kit/ambiguous-json';
import { detailOf } from '@mp/service-kit/issue-detail';
import { z } from 'zod';
import { type Event, isRejection, newEvent, type Receipt, type Rejection } from './event.ts';
import { bytesOf, EventBody, maxEventBytes, tooBig } from './event-body.ts';
import type { Stored } from './events-store.ts';

const Result = z.object({
  index: z.number().int().describe('The position of the event in the request, from 0.'),
  status: z.enum(['accepted', 'duplicate', 'rejected']).describe('What happened to the event.'),
  id: z.string().optional().describe('The ID of the event; for a duplicate, the ID of the earlier event.'),
  code: z.string().optional().describe('Why a rejected event is invalid, as a code.'),
  message: z.string().optional().describe('Why a rejected event is invalid, in words.'),
});

export const Tracked = z.object({
  accepted: z.number().int().describe('Events that were stored.'),
  duplicates: z.number().int().describe('Events that had been stored before.'),
  rejected: z.number().int().describe('Invalid events.'),
  results: z.array(Result).describe('One per event, in the same order.'),
});
export type Tracked = z.output<typeof Tracked>;

/** Checks one event of a batch, which is rejected on its own. */
export function eventOrRejection(accountId: AccountId, item: unknown, receipt: Receipt): Event | Rejection {
  const parsed = EventBody.safeParse(item);
  if (!parsed.success) return rejectionOf(parsed.error);
  if (bytesOf(item) > maxEventBytes) return { code: 'too_big', message: tooBig, path: '/' };
  const ambiguity = ambiguityIn(parsed.data)?.details?.[0];
  if (ambiguity) return { code: ambiguity.code ?? 'invalid', message: ambiguity.message ?? 'invalid', path: ambiguity.path ?? '/' };
  return newEvent(accountId, parsed.data, receipt);
}

function rejectionOf({ issues }: z.ZodError): Rejection {
  const [issue] = issues;
  if (!issue) return { code: 'invalid', message: 'The event is invalid.', path: '/' };
  const { path, code = 'invalid', message } = detailOf(issue);
  return { code, message: `${path}: ${message}`, path };
}

/** The response: a result for each event, in the same order. */
export function trackedOf(made: readonly (Event | Rejection)[], stored: readonly Stored[]): Tracked {
  let next = 0;
  const results = made.map((one, index): Tracked['results'][number] => {
    if (isRejection(one)) return { index, status: 'rejected', code: one.code, message: one.message };
    const { status, id } = stored[next++] ?? { status: 'accepted', id: one.id };
    return { index, status, id };
  });
  const count = (status: string) => results.filter((result) => result.status === status).length;
  return { accepted: count('accepted'), duplicates: count('duplicate'), rejected: count('rejected'), results };
}
