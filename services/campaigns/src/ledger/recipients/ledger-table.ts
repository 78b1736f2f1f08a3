import { refusal } from '@mp/contracts/permissions';
import type { Principal } from '@mp/service-kit/create-server';
import { guardFormula } from '@mp/service-kit/formulas';
import { renamesOf, withBothNames } from '@mp/service-kit/renamed-fields';
import { stringify } from 'csv-stringify/sync';
import type { z } from 'zod';
import type { Revenue } from '../revenue.ts';
import type { Recipient, WorkflowRecipient } from './recipient.ts';

/** `120.5 EUR; 3 USD`: the only field that is not a single value. */
const revenueCell = (revenue: Revenue) => revenue.map(({ amount, currency }) => `${amount} ${currency}`).join('; ');

/**
 * A ledger as CSV: the header, and then a page of lines at a time, so that the size of the ledger does not matter. It has the addresses
 * only if the caller may export contacts.
 */
export function createLedgerTable(row: z.ZodObject) {
  const renames = renamesOf(row);
  const columns = [...Object.keys(row.shape), ...(renames?.oldNames.values() ?? [])];

  return async function* tableOf(principal: Principal, pages: AsyncIterable<readonly (Recipient | WorkflowRecipient)[]>) {
    const hasAddresses = refusal(principal, 'GET', 'contacts:export') === undefined;
    yield stringify([columns]);
    for await (const recipients of pages)
      yield stringify(
        recipients.map(({ revenue, ...fields }) => {
          const line = { ...fields, ...(!hasAddresses && { address: null }), revenue: revenueCell(revenue) };
          return renames ? withBothNames(line, renames) : line;
        }),
        { columns, cast: { string: guardFormula } },
      );
  };
}
