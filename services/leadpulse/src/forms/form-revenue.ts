import type { AccountId, ContactId, FormId } from '@mp/ids';
import { amountsOf } from '../events/money.ts';
import type { OrderEvents } from '../events/order-events.ts';
import type { FindFirstForms } from './first-forms.ts';
import type { FormContactsStore } from './form-contacts-store.ts';

type Deps = {
  formContacts: Pick<FormContactsStore, 'page'>;
  orders: Pick<OrderEvents, 'ofContacts' | 'ofForm'>;
  findFirstForms: FindFirstForms;
};

export type RevenueQuery = { formId: FormId; from: Date; to: Date };

const atOnce = 1_000;

/**
 * Counts what the contacts that a form created have ordered since, by reading their events: a merge, or its undoing, takes effect at
 * once. The orders of contacts that were deleted or erased name the form instead of the contact.
 */
export const createFormRevenue =
  ({ formContacts, orders, findFirstForms }: Deps) =>
  async (accountId: AccountId, { formId, from, to }: RevenueQuery) => {
    let count = 0;
    const units: Record<string, number> = {};
    const add = (value: { units: number; currency: string }) => {
      count += value.units > 0 ? 1 : 0;
      units[value.currency] = (units[value.currency] ?? 0) + value.units;
    };

    let after: ContactId | undefined;
    for (;;) {
      const page = await formContacts.page(accountId, formId, { after, limit: atOnce });
      const ids = page.map(({ contact_id }) => contact_id);
      const own = new Set(ids);
      // A person of which a form created several contacts is counted with the first of them.
      const arrivals = (await findFirstForms(accountId, ids)).filter(({ first }) => first.form_id === formId && own.has(first.contact_id));
      const since = new Map(arrivals.flatMap(({ contactIds, first }) => contactIds.map((id) => [id, first.at] as const)));
      for await (const { contact_id, time, value } of orders.ofContacts(accountId, [...since.keys()], { from, to })) {
        const start = contact_id === null ? undefined : since.get(contact_id);
        if (start && time >= start) add(value);
      }
      after = ids.at(-1);
      if (page.length < atOnce) break;
    }
    for await (const { value } of orders.ofForm(accountId, formId, { from, to })) add(value);
    return { orders: count, revenue: amountsOf(units) };
  };
