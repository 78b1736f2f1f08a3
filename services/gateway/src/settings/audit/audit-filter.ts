import { invalid } from '@mp/contracts/errors';
import { Moment } from '@mp/contracts/moment';
import { z } from 'zod';
import { AuditAction } from './audit-action.ts';
import type { AuditFilter } from './audit-log-store.ts';

const equalities = ['actor_id', 'action', 'target_id'] as const;

/** The query parameters that choose entries. */
export const auditFilter = {
  actor_id: z.string().min(1).max(60).optional().describe('Only changes by this key, OAuth client or user.'),
  action: AuditAction.optional(),
  target_id: z.string().min(1).max(60).optional().describe('Only changes to this resource.'),
  'created_at[gte]': Moment.optional(),
  'created_at[lt]': Moment.optional(),
};

const AuditQuery = z.object(auditFilter);

/** Throws VALIDATION_ERROR for more equalities than an index serves. */
export function filterFrom(query: z.output<typeof AuditQuery>): AuditFilter {
  const { 'created_at[gte]': from, 'created_at[lt]': to, ...equal } = query;
  const [, second] = equalities.filter((member) => equal[member] !== undefined);
  if (second) throw invalid(`/query/${second}`, 'unsupported_combination', `Filter by one of ${equalities.join(', ')} at a time.`);
  return { ...equal, from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
}
