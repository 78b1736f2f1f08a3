import type { Metrics } from '@mp/service-kit/metrics';
import { type RecipientState, recipientStates } from '../../ledger/recipients/recipient.ts';
import type { RecipientDocument } from '../../ledger/recipients/recipient-row.ts';
import type { Smtp } from './smtp-connections.ts';
import type { Delivery } from './smtp-outcome.ts';

type Counters = Pick<Metrics, 'counter'>;

const onTheWay: readonly RecipientState[] = ['queued', 'sending'];
const outcomes = ['accepted', 'deferred', 'refused', 'unreachable', 'uncertain'] as const satisfies Delivery['kind'][];

/** Counts emails, not attempts: an email that is deferred ten times and then sent counts once as deferred and once as sent. */
export function createMessageCounter(metrics: Counters) {
  const states = recipientStates.filter((state) => !onTheWay.includes(state)).map((state) => ({ state }));
  const messages = metrics.counter('campaign_messages_total', 'Emails that entered this state in the ledger.', ['state'], states);
  return ({ state, attempts }: Pick<RecipientDocument, 'state' | 'attempts'>) => {
    const isRepetition = state === 'deferred' && attempts > 0;
    if (!onTheWay.includes(state) && !isRepetition) messages.inc({ state });
  };
}

/** Counts every attempt to send an email, by outcome. If none is accepted, the mail server is at fault. */
export function countAttempts(metrics: Counters, smtp: Smtp): Smtp {
  const zero = outcomes.map((outcome) => ({ outcome }));
  const attempts = metrics.counter(
    'campaign_delivery_attempts_total',
    'Attempts to send an email to the mail server. unreachable: no connection; uncertain: the connection broke midway.',
    ['outcome'],
    zero,
  );
  return {
    ...smtp,
    async deliver(...message) {
      const delivery = await smtp.deliver(...message);
      // Undefined if the email was withdrawn.
      if (delivery) attempts.inc({ outcome: delivery.kind });
      return delivery;
    },
  };
}
