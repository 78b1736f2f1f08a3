import type { EventEnvelope } from '@mp/contracts/event';
import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { type WebhookEvent, webhookPayload } from '@mp/contracts/webhooks/webhook-event';
import type { AccountId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { type EventHandler, onAll } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import { passes } from '../definitions/filter.ts';
import { subscribes } from '../definitions/webhook.ts';
import type { WebhooksStore } from '../definitions/webhooks-store.ts';
import type { StreamsStore } from '../streams/streams-store.ts';
import type { AcceptedStore } from './accepted-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import type { ErasedContacts } from './erased-contacts-store.ts';

type Deps = {
  webhooks: WebhooksStore;
  deliveries: DeliveriesStore;
  streams: StreamsStore;
  erased: ErasedContacts;
  accepted: AcceptedStore;
  clock: Clock;
  wake: () => void;
};

/** How much the clocks of services may differ. An event from just before a webhook was created may therefore be sent to it. */
const maxClockSkewMs = 5_000;

/** A transaction can write 16 MiB. A group with more is applied in parts. */
const maxRows = 2_000;
const maxBytes = 4 * 2 ** 20;

type Made = NonNullable<ReturnType<typeof webhookPayload>>;

/** Queues a delivery for every webhook and stream that subscribes to an event, in the transaction that marks the events as applied. */
export function onWebhookEvents({ webhooks, deliveries, streams, erased, accepted, clock, wake }: Deps): EventHandler[] {
  async function isTaken(accountId: AccountId, types: readonly WebhookEvent[]): Promise<boolean> {
    if (await streams.isStreamed(accountId)) return true;
    const events = [...(await webhooks.patterns(accountId))];
    return types.some(({ type }) => subscribes({ events }, type));
  }

  /** What webhooks and streams get of these events, without what is about erased contacts. */
  async function subscribed(tx: Transaction, types: readonly WebhookEvent[], envelopes: readonly EventEnvelope[]) {
    const accountIds = [...new Set(envelopes.map(({ account_id }) => account_id))];
    const recording = await webhooks.recording(accountIds, tx);
    const streamed = await Promise.all(accountIds.map((id) => streams.isStreamed(id)));
    const open = Map.groupBy(
      await streams.open(
        accountIds.filter((_, index) => streamed[index]),
        tx,
      ),
      ({ accountId }) => accountId,
    );
    const made = envelopes.map((envelope) => {
      const { account_id, time } = envelope;
      const createdBefore = Date.parse(time) + maxClockSkewMs;
      return types.flatMap((type) => {
        const takes = (one: { events: string[]; created_at: string | Date }) =>
          new Date(one.created_at).getTime() <= createdBefore && subscribes(one, type.type);
        const hooks = (recording.get(account_id) ?? []).filter(takes);
        const readers = (open.get(account_id) ?? []).filter(takes);
        const event = hooks.length + readers.length > 0 ? webhookPayload(type, envelope) : undefined;
        if (!event) return [];
        const passed = hooks.filter(({ filter }) => filter === null || passes(filter, event.payload));
        return [{ ...event, passed, readers }];
      });
    });
    const contacts = made.flat().flatMap(contactsOf);
    const gone = await erased.among(tx, contacts);
    return made.filter((own) => !own.some(({ contactIds }) => contactIds.some((id) => gone.has(id)))).flat();
  }

  const handlerOf = (source: WebhookEvent['source'], types: readonly WebhookEvent[]): EventHandler => ({
    ...onAll(source, async (tx, envelopes) => {
      const made = await subscribed(tx, types, envelopes);
      const recorded = made.flatMap(({ payload, contactIds, readers }) => readers.map(({ id }) => ({ streamId: id, payload, contactIds })));
      const wanted = made.flatMap(({ payload, contactIds, passed }) =>
        passed.map(({ id, status }) => ({ payload, contactIds, webhookId: id, isMissed: status === 'disabled' })),
      );
      if (envelopes.length > 1) requireSmall(made.map((one) => ({ ...one, copies: one.passed.length + one.readers.length })));
      await streams.add(tx, recorded);
      const queued = await accepted.without(tx, wanted);
      if (queued.length === 0) return;
      await deliveries.add(tx, queued, clock());
      tx.afterCommit(wake);
    }),
    isRelevant: ({ account_id }) => isTaken(account_id, types),
  });
  return [...Map.groupBy(webhookEvents, ({ source }) => source)].map(([source, types]) => handlerOf(source, types));
}

const contactsOf = ({ payload, contactIds }: Made) => contactIds.map((contactId) => ({ accountId: payload.account_id, contactId }));

/** Throws for a group that MongoDB would not take as a whole, so that its halves are tried. */
function requireSmall(made: readonly (Made & { copies: number })[]) {
  const rows = made.reduce((sum, { copies }) => sum + copies, 0);
  const bytes = made.reduce((sum, { payload, copies }) => sum + copies * JSON.stringify(payload).length, 0);
  if (rows > maxRows || bytes > maxBytes) throw new Error(`${rows} deliveries of ${bytes} bytes are too many for one transaction.`);
}
