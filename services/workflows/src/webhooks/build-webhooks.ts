import type { JournalOf } from '@mp/contracts/journal';
import type { Keyring } from '@mp/contracts/keyring';
import { streams } from '@mp/contracts/streams';
import type { GuardedRequest } from '@mp/guarded-requests/guarded-request';
import type { Clock } from '@mp/service-kit/clock';
import { createConsumer } from '@mp/service-kit/consume';
import type { Server } from '@mp/service-kit/create-server';
import { outward } from '@mp/service-kit/maintenance';
import type { Background } from '@mp/service-kit/runner';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Suspended } from '@mp/service-kit/suspensions';
import { createWebhook } from './definitions/create-webhook.ts';
import { deleteWebhook } from './definitions/delete-webhook.ts';
import { getWebhook } from './definitions/get-webhook.ts';
import { listEventTypes } from './definitions/list-event-types.ts';
import { listWebhooks } from './definitions/list-webhooks.ts';
import { rotateWebhookSecret } from './definitions/rotate-secret.ts';
import { createSealing } from './definitions/signing-secrets.ts';
import { updateWebhook } from './definitions/update-webhook.ts';
import { createWebhooksStore } from './definitions/webhooks-store.ts';
import { createAcceptedStore } from './deliveries/accepted-store.ts';
import { createDeliverer } from './deliveries/deliverer.ts';
import { createDeliveriesStore } from './deliveries/deliveries-store.ts';
import { createErasedContacts } from './deliveries/erased-contacts-store.ts';
import { getDelivery } from './deliveries/get-delivery.ts';
import { listDeliveries } from './deliveries/list-deliveries.ts';
import { onWebhookEvents } from './deliveries/on-webhook-event.ts';
import { replayDeliveries } from './deliveries/replay-deliveries.ts';
import { replayDelivery } from './deliveries/replay-delivery.ts';
import { createReportDelivered } from './deliveries/report-delivered.ts';
import { createSendDelivery } from './deliveries/send-delivery.ts';
import { testWebhook } from './deliveries/test-webhook.ts';
import { streamEvents } from './streams/stream-events.ts';
import { createStreamsStore } from './streams/streams-store.ts';
import { triggerEvent } from './streams/trigger-event.ts';

type Config = {
  keys: Keyring;
  allowPrivate: boolean;
  send: GuardedRequest;
  suspended: Suspended;
  clock: Clock;
  leaseMs?: number | undefined;
};

/** Each stream whose events webhooks can receive, with the subjects to read, and the name of the consumer if it is not the stream's. */
const sources: readonly (readonly [(typeof streams)[keyof typeof streams], string, string?])[] = [
  [streams.platform, 'platform.api_key.>'],
  [streams.platform, 'platform.audit_entry.>', 'audit-log'],
  [streams.contacts, 'contacts.>'],
  [streams.segments, 'segments.membership.>'],
  [streams.campaigns, 'campaigns.>'],
  [streams.leadpulse, 'leadpulse.>'],
  [streams.workflows, 'workflows.run.>'],
  [streams.workflows, 'workflows.workflow.>', 'workflow-approvals'],
];

/** Wires the webhooks of the account, which are notified of events. The webhooks of workflow steps are apart: `webhook-steps/`. */
export function buildWebhooks(parts: Parts, { keys, allowPrivate, send, suspended, clock, leaseMs }: Config) {
  const { mongo, outbox, cursors, transact, claimFirst, logger, maintenance } = parts;
  const webhooks = createWebhooksStore(mongo.db, cursors, createSealing(keys), clock);
  const deliveries = createDeliveriesStore(mongo, cursors);
  const streams = createStreamsStore(mongo, clock);
  const erased = createErasedContacts({ db: mongo.db, deliveries, streams, outbox, logger, clock });
  const sendDelivery = createSendDelivery({ send, clock });
  const accepted = createAcceptedStore(mongo.db);
  const reportDelivered = createReportDelivered({ mongo, outbox, logger, clock });
  const deliverer = createDeliverer({
    ...{ mongo, outbox, logger, webhooks, deliveries, sendDelivery, reportDelivered, suspended, clock, leaseMs },
  });
  const { wake } = deliverer;
  /** The report stops after the deliverer, so that it has everything. */
  const delivering: Background = {
    start() {
      reportDelivered.start();
      deliverer.start();
    },
    async stop() {
      await deliverer.stop();
      await reportDelivered.stop();
    },
  };
  const background: Background[] = [outward(delivering), erased];

  return {
    deliverer,
    erased,

    /** Applies an entry of the journal. Returns the number of events that are not sent again. */
    async applyDelivered(entry: JournalOf<'delivery'>): Promise<number> {
      const count = await accepted.add(entry, clock());
      await deliveries.markAccepted(entry.account_id, entry.webhook_id, entry.event_ids);
      return count;
    },

    background,

    addRoutes(app: Server) {
      createWebhook(app, { webhooks, deliveries, transact, allowPrivate, clock });
      listWebhooks(app, { webhooks, deliveries });
      listEventTypes(app);
      getWebhook(app, { webhooks, deliveries });
      updateWebhook(app, { webhooks, deliveries, transact, allowPrivate, clock });
      deleteWebhook(app, { webhooks, transact });
      rotateWebhookSecret(app, { webhooks, deliveries, transact, clock });
      testWebhook(app, { webhooks, deliveries, sendDelivery, claimFirst, maintenance, clock });
      listDeliveries(app, { webhooks, deliveries });
      getDelivery(app, { deliveries });
      replayDelivery(app, { webhooks, deliveries, transact, clock, wake });
      replayDeliveries(app, { webhooks, deliveries, claimFirst, clock, wake });
      background.push(streamEvents(app, { streams, suspended, maintenance }));
      triggerEvent(app, { streams, transact, clock });
    },

    async prepare() {
      await webhooks.prepare();
      await deliveries.prepare();
      await streams.prepare();
      await erased.prepare();
      await accepted.prepare();
    },

    consumers: sources.map(([stream, filter, name = stream.name.toLowerCase()]) =>
      createConsumer(parts, {
        name: `workflows-webhooks-${name}`,
        stream,
        filter,
        handlers: onWebhookEvents({ webhooks, deliveries, streams, erased, accepted, clock, wake }),
      }),
    ),
  };
}
