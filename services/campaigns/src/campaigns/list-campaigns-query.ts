import { invalid } from '@mp/contracts/errors';
import { includeTotal, listQuery } from '@mp/service-kit/list';
import { nameSearch } from '@mp/service-kit/name-search';
import type { IndexDescription } from 'mongodb';
import { z } from 'zod';
import { campaignStatuses } from './campaign-states.ts';

export const ListCampaignsQuery = z.strictObject({
  ...listQuery,
  include: includeTotal,
  sort: z
    .enum(['created_at', '-created_at', 'updated_at', '-updated_at'])
    .default('-created_at')
    .describe('The order; `-` means descending.'),
  status: z.enum(campaignStatuses).optional().describe('List only campaigns with this status.'),
  q: nameSearch,
});
export type ListCampaignsQuery = z.output<typeof ListCampaignsQuery>;

/** Throws VALIDATION_ERROR if no index serves the search. */
export function requireServed({ q, sort }: ListCampaignsQuery) {
  if (q === undefined || sort.endsWith('created_at')) return;
  throw invalid('/query', 'unsupported_combination', 'A search by q requires a sort by created_at. See "Filters" of GET /v2/campaigns.');
}

/** One index for each list, one for searches by name, and two for the workers. `status` combines with either sort. */
export const campaignIndexes = {
  created_at: { key: { account_id: 1, created_at: 1, _id: 1 } },
  updated_at: { key: { account_id: 1, updated_at: 1, _id: 1 } },
  // Has the name, so that a search reads the campaigns that match, and not the emails of all the others.
  created_at_name: { key: { account_id: 1, created_at: 1, _id: 1, name: 1 } },
  status_created_at: { key: { account_id: 1, status: 1, created_at: 1, _id: 1 } },
  status_updated_at: { key: { account_id: 1, status: 1, updated_at: 1, _id: 1 } },
  started_at: { key: { account_id: 1, started_at: 1, audience_count: 1 } },
  template: { key: { account_id: 1, template_id: 1, status: 1 }, partialFilterExpression: { template_id: { $type: 'string' } } },
  ab_tests: { key: { test_at: 1 }, partialFilterExpression: { test_at: { $exists: true } } },
  work_in_turn: { key: { work: 1, _id: 1 }, partialFilterExpression: { work: { $exists: true } } },
  work: { key: { work: 1, work_at: 1 }, partialFilterExpression: { work: { $exists: true } } },
} as const satisfies Record<string, IndexDescription>;
