import { z } from 'zod';
import { accountId } from '../ids.ts';
import { Position } from '../position.ts';
import { defineRequest } from '../request.ts';
import type { Source } from './positions.ts';

const backlogRequest = (service: string) =>
  defineRequest({
    name: `${service}.backlog`,
    version: 1,
    meaning:
      `Which events of the account in the stream of ${service} come after what a consumer has applied. \`backlog\` is null if none does; ` +
      '`until`: everything written until then has been applied, or null if that is unknown.',
    request: z.object({ account_id: accountId, applied: Position }),
    reply: z.object({ backlog: z.object({ until: z.iso.datetime().nullable() }).nullable() }),
  });

/** The request for the backlog of an account, by publisher. */
export const backlogRequests = {
  contacts: backlogRequest('contacts'),
  leadpulse: backlogRequest('leadpulse'),
  campaigns: backlogRequest('campaigns'),
} satisfies Record<Source, unknown>;
export type BacklogRequest = (typeof backlogRequests)[Source];
