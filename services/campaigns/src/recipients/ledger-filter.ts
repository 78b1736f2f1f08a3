import { z } from 'zod';
import { ledgerReasons, recipientStates } from './recipient.ts';

/** Which rows of a ledger to list. */
export const ledgerFilter = {
  state: z.enum(recipientStates).optional().describe('List only recipients in this state.'),
  reason: z.enum(ledgerReasons).optional().describe('List only recipients with this reason, such as those that were skipped for it.'),
};
export type LedgerFilter = z.output<z.ZodObject<typeof ledgerFilter>>;
