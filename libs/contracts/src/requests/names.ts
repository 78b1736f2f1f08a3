import { z } from 'zod';
import { accountId } from '../ids.ts';
import { defineRequest } from '../request.ts';

const nameRequest = (service: string, noun: string) =>
  defineRequest({
    name: `${service}.${noun}_name`,
    version: 1,
    meaning: `The name of a ${noun}; null if the account has none with this ID.`,
    request: z.object({ account_id: accountId, id: z.string().max(64) }),
    reply: z.object({ name: z.string().nullable() }),
  });

/** The request for the name of each kind of resource that has comments. */
export const nameRequests = {
  campaign: nameRequest('campaigns', 'campaign'),
  template: nameRequest('campaigns', 'template'),
  segment: nameRequest('segments', 'segment'),
  workflow: nameRequest('workflows', 'workflow'),
};
export type NameRequest = (typeof nameRequests)[keyof typeof nameRequests];
