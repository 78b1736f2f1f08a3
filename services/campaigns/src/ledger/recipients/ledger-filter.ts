import { invalid } from '@mp/contracts/errors';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { z } from 'zod';
import { ledgerReasons, recipientStates } from './recipient.ts';

/** Which rows of a ledger to list. */
export const ledgerFilter = {
  status: renamedFrom('state', z.enum(recipientStates).optional().describe('List only recipients with this status.')),
  reason: z.enum(ledgerReasons).optional().describe('List only recipients with this reason, such as those that were skipped for it.'),
  engagement: z
    .enum(['opened', 'clicked', 'not_opened', 'converted'])
    .optional()
    .describe(
      'List only recipients with this engagement: `opened`; `clicked`, a link in the email; `not_opened`, sent but not opened; `converted`, such as an order. Automated opens and clicks do not count. Cannot be combined with `status` or `reason`.',
    ),
};
export type LedgerFilter = z.output<z.ZodObject<typeof ledgerFilter>>;

/** Throws VALIDATION_ERROR if no index serves the filter. */
export function requireServed({ status, reason, engagement }: LedgerFilter) {
  if (engagement === undefined || (status === undefined && reason === undefined)) return;
  throw invalid('/query', 'unsupported_combination', 'A filter by engagement cannot be combined with status or reason.');
}
