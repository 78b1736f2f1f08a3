import { z } from 'zod';
import { accountId } from '../ids.ts';
import { Position } from '../position.ts';
import { defineRequest } from '../request.ts';

const positionRequest = (service: string) =>
  defineRequest({
    name: `${service}.position`,
    version: 1,
    meaning:
      `The end of the stream of ${service}, once it holds every event of the account that ${service} had confirmed at the first ` +
      'request. `position` is null until then: retry with the mark of the reply.',
    request: z.object({
      account_id: accountId,
      mark: z.string().max(1_000).nullable().default(null).describe('Of the previous reply; identifies the time of the first request.'),
      after: z.array(Position).max(5).default([]).describe('Positions to apply first, because the events of the service depend on them.'),
    }),
    reply: z.object({ position: Position.nullable(), mark: z.string().nullable() }),
  });

/** The request for the position of each publisher. Sent by `requestPositions`. */
export const positionRequests = {
  contacts: positionRequest('contacts'),
  leadpulse: positionRequest('leadpulse'),
  campaigns: positionRequest('campaigns'),
  workflows: positionRequest('workflows'),
  segments: positionRequest('segments'),
};
export type PositionRequest = (typeof positionRequests)[Publisher];

const Publisher = z.enum(['contacts', 'leadpulse', 'campaigns', 'workflows', 'segments']);
export type Publisher = z.infer<typeof Publisher>;

/** The publishers whose events the members of a segment depend on. */
export const Source = Publisher.exclude(['workflows', 'segments']);
export type Source = z.infer<typeof Source>;

/** The positions known so far. They can be stored, in the field `whereabouts`, and completed later. */
export const KnownPositions = z.partialRecord(Publisher, z.object({ position: Position.nullable(), mark: z.string().nullable() }));
export type KnownPositions = z.infer<typeof KnownPositions>;
