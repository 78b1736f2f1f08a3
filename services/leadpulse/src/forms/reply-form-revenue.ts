import { FormRevenue } from '@mp/contracts/requests/leadpulse';
import type { Broker } from '@mp/service-kit/broker';
import type { createFormRevenue } from './form-revenue.ts';

type Deps = { broker: Pick<Broker, 'reply'>; revenueOf: ReturnType<typeof createFormRevenue> };

export const replyToFormRevenue =
  ({ broker, revenueOf }: Deps) =>
  () =>
    broker.reply(FormRevenue, ({ account_id, form_id, from, to }) =>
      revenueOf(account_id, { formId: form_id, from: new Date(from), to: new Date(to) }),
    );
