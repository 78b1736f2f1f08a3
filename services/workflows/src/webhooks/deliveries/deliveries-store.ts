import { randomUUID } from 'node:crypto';
import { notFound } from '@mp/contracts/errors';
import type { WebhookPayload } from '@mp/contracts/webhooks/webhook-event';
import { type AccountId, type ContactId, newId, trustedId, type WebhookId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { insertAll } from '@mp/service-kit/insert-all';
import { findPage, parseSort } from '@mp/service-kit/list';
import { type Mongo, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Filter } from 'mongodb';
import type { MissedDeliveries, WebhookHealth } from '../definitions/webhook.ts';
import { createAttemptsStore } from './attempts-store.ts';
import { claim } from './claim.ts';
import { claimBatch } from './claim-batch.ts';
import type { Attempt, Delivery, DeliveryDetails } from './delivery.ts';
import { deliveryRetentionDays, maxAttemptsKept } from './delivery.ts';
import { type DeliveryDocument, type EmbeddedAttempt, type Held, heldOf } from './delivery-document.ts';
import type { ListDeliveriesQuery } from './list-deliveries-query.ts';
import { settle, updatesOfHeld } from './settle.ts';
import { healthOf } from './webhook-health.ts';

export type NewDelivery = {
  webhookId: WebhookId;
  payload: WebhookPayload;
  contactIds: readonly ContactId[];
  /** Recorded as failed, because the webhook is disabled. */
  isMissed?: boolean;
};

type HeldDelivery = NewDelivery & { isBatch: boolean };

const healthAttempts = 100;
const maxCounted = 10_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** Deliveries that expire within this time are not offered for a replay, which would come too late. */
const expiryMarginMs = 60_000;

const notTest = { test: { $exists: false } };

export type DeliveriesStore = ReturnType<typeof createDeliveriesStore>;

/** Owns the `webhook_deliveries` collection. */
export function createDeliveriesStore({ db, transaction }: Pick<Mongo, 'db' | 'transaction'>, cursors: Cursors) {
  const deliveries = db.collection<DeliveryDocument>('webhook_deliveries');
  const attempts = createAttemptsStore(db);

  return {
    async prepare() {
      await attempts.prepare();
      await prepareCollection(
        deliveries,
        [
          { key: { account_id: 1, webhook_id: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, webhook_id: 1, status: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, webhook_id: 1, type: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, contact_ids: 1 } },
          { key: { webhook_id: 1, due_at: 1 }, name: 'queue', partialFilterExpression: { due_at: { $exists: true } } },
          { key: { batch_id: 1 }, name: 'batch', partialFilterExpression: { batch_id: { $exists: true } } },
          { key: { webhook_id: 1, last_attempt_at: 1 }, name: 'health', partialFilterExpression: { last_attempt_at: { $exists: true } } },
          { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: deliveryRetentionDays * 24 * 60 * 60 },
        ],
        db,
      );
    },

    /** Queues deliveries in the transaction of their events. */
    async add(tx: Transaction, queued: readonly NewDelivery[], now: Date): Promise<void> {
      const documents = queued.map((one) => newDocument(one, now));
      await insertAll(db, deliveries, documents, tx);
    },

    /** A delivery that the caller holds until `leaseUntil`. */
    async addHeld({ isBatch, ...delivery }: HeldDelivery, now: Date, leaseUntil: Date): Promise<Held> {
      const held: DeliveryDocument = {
        ...newDocument(delivery, now),
        test: true,
        due_at: leaseUntil,
        claim: randomUUID(),
        ...(isBatch && { batch_id: newId('batch') }),
      };
      await deliveries.insertOne(held);
      return heldOf(held);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<DeliveryDetails> {
      const document = await deliveries.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      const logged = await attempts.of(accountId, { id, count: document.attempt_count }, tx);
      const all = [...document.attempts.map(attemptOf), ...logged].slice(-maxAttemptsKept);
      return { ...deliveryOf(document, all.at(-1)), payload: JSON.parse(document.payload), attempts: all };
    },

    async list(accountId: AccountId, webhookId: WebhookId, query: ListDeliveriesQuery) {
      const { limit, cursor, sort, status, type, 'created_at[gte]': from, 'created_at[lt]': to } = query;
      const between = { ...(from && { $gte: new Date(from) }), ...(to && { $lt: new Date(to) }) };
      const filter: Filter<DeliveryDocument> = {
        account_id: accountId,
        webhook_id: webhookId,
        ...(status && { status }),
        ...(type && { type }),
        ...((from || to) && { created_at: between }),
      };
      const { items, pagination } = await findPage({
        collection: deliveries,
        filter,
        order: parseSort(sort),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'webhook_deliveries', webhookId, sort, status, type, from, to],
      });
      const last = await attempts.last(accountId, items);
      return { items: items.map((document) => deliveryOf(document, last.get(document._id))), pagination };
    },

    /** The webhooks that have due deliveries. */
    dueWebhooks: (now: Date): Promise<WebhookId[]> =>
      deliveries.distinct('webhook_id', { webhook_id: { $gt: trustedId<'webhook'>('') }, due_at: { $lte: now } }),

    /** Whether any delivery is due later. */
    hasLater: async (now: Date): Promise<boolean> =>
      (await deliveries.findOne({ webhook_id: { $gt: trustedId<'webhook'>('') }, due_at: { $gt: now } }, { hint: 'queue' })) !== null,

    claim: claim(deliveries),
    claimBatch: claimBatch(deliveries, transaction),

    settle: settle(deliveries, attempts),

    /** Ends deliveries that their receiver has accepted before a restore. */
    async markAccepted(accountId: AccountId, webhookId: WebhookId, eventIds: readonly string[]): Promise<void> {
      await deliveries.updateMany(
        { account_id: accountId, webhook_id: webhookId, due_at: { $exists: true }, event_id: { $in: [...eventIds] } },
        { $set: { status: 'delivered' }, $unset: { due_at: '', claim: '' } },
      );
    },

    /** Returns deliveries to the queue without an attempt. */
    async release(held: readonly Held[], at: Date): Promise<void> {
      if (held.length > 0)
        await deliveries.bulkWrite(updatesOfHeld(held, { $set: { due_at: at }, $unset: { claim: '' } }), { ordered: false });
    },

    /** Ends the due deliveries of webhooks that are disabled or deleted. */
    async giveUp(webhookIds: readonly WebhookId[], now: Date): Promise<void> {
      const due = { webhook_id: { $in: [...webhookIds] }, due_at: { $lte: now } };
      await deliveries.updateMany(due, { $set: { status: 'failed' }, $unset: { due_at: '', claim: '' } });
    },

    /** Makes the deliveries that wait for their next attempt due, because the receiver responds again. */
    async retryNow(webhookId: WebhookId, now: Date): Promise<void> {
      await deliveries.updateMany({ webhook_id: webhookId, due_at: { $gt: now }, claim: { $exists: false } }, { $set: { due_at: now } });
    },

    /** Queues a delivery again, with all its attempts, unless a worker holds it. */
    async replay(tx: Transaction, accountId: AccountId, id: string, now: Date): Promise<void> {
      const free = { _id: id, account_id: accountId, claim: { $exists: false } };
      await deliveries.updateOne(free, replayed(now), { session: tx.session });
    },

    /** The failed deliveries that a replay can send; null if there are none. */
    async missed(accountId: AccountId, webhookId: WebhookId, now: Date): Promise<MissedDeliveries | null> {
      const since = new Date(now.getTime() - deliveryRetentionDays * dayMs + expiryMarginMs);
      const failed: Filter<DeliveryDocument> = {
        account_id: accountId,
        webhook_id: webhookId,
        status: 'failed',
        created_at: { $gte: since },
        ...notTest,
      };
      const first = await deliveries.findOne(failed, { sort: { created_at: 1 }, projection: { created_at: 1 } });
      if (!first) return null;
      return { deliveries: await deliveries.countDocuments(failed, { limit: maxCounted }), from: first.created_at.toISOString() };
    },

    /** Queues up to `limit` deliveries of a range again, oldest first. `next`: where the following batch begins; null at the end. */
    async replayBatch({ accountId, webhookId, status, since, until, after }: Range, limit: number, now: Date) {
      const from = after ? [{ created_at: after.at, _id: { $gt: after.id } }, { created_at: { $gt: after.at, $lte: until } }] : undefined;
      const range: Filter<DeliveryDocument> = {
        account_id: accountId,
        webhook_id: webhookId,
        status,
        created_at: { $gte: since, $lte: until },
        ...notTest,
      };
      const found = await deliveries
        .find(from ? { $or: from.map((part) => ({ ...range, ...part })) } : range, { projection: { created_at: 1 } })
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      const ids = { $in: found.map(({ _id }) => _id) };
      const { modifiedCount } = await deliveries.updateMany({ _id: ids, account_id: accountId, status }, replayed(now));
      const last = found.at(-1);
      return { count: modifiedCount, next: last && found.length === limit ? { at: last.created_at, id: last._id } : null };
    },

    /** Removes the payloads about these contacts. Returns how many. Idempotent. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<number> {
      await attempts.erase(accountId, contactIds, tx);
      const about = { account_id: accountId, contact_ids: { $in: [...contactIds] } };
      return (await deliveries.deleteMany(about, tx && { session: tx.session })).deletedCount;
    },

    async health(accountId: AccountId, webhookId: WebhookId): Promise<WebhookHealth> {
      const own = { account_id: accountId, webhook_id: webhookId };
      const [logged, earlier, pending] = await Promise.all([
        attempts.recent(accountId, webhookId, healthAttempts),
        deliveries
          .find({ ...own, last_attempt_at: { $exists: true } }, { projection: { attempts: 1 } })
          .sort({ last_attempt_at: -1 })
          .limit(healthAttempts)
          .toArray(),
        deliveries.countDocuments({ webhook_id: webhookId, due_at: { $exists: true } }, { limit: maxCounted }),
      ]);
      const embedded = earlier.flatMap((delivery) => delivery.attempts.map(attemptOf));
      return healthOf([...logged, ...embedded].toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, healthAttempts), pending);
    },
  };
}

type Range = {
  accountId: AccountId;
  webhookId: WebhookId;
  status: 'failed' | 'delivered';
  since: Date;
  until: Date;
  after: { at: Date; id: string } | null;
};

const replayed = (now: Date) => ({ $set: { status: 'pending' as const, due_at: now, tries: 0 }, $unset: { batch_id: '' as const } });

function newDocument({ webhookId, payload, contactIds, isMissed = false }: NewDelivery, now: Date): DeliveryDocument {
  return {
    _id: newId('delivery'),
    account_id: payload.account_id,
    webhook_id: webhookId,
    event_id: payload.id,
    type: payload.type,
    status: isMissed ? 'failed' : 'pending',
    payload: JSON.stringify(payload),
    contact_ids: [...contactIds],
    attempts: [],
    attempt_count: 0,
    tries: 0,
    ...(!isMissed && { due_at: now }),
    created_at: now,
  };
}

const attemptOf = ({ at, ...attempt }: EmbeddedAttempt): Attempt => ({ ...attempt, at: at.toISOString() });

function deliveryOf(document: DeliveryDocument, logged: Attempt | undefined): Delivery {
  const { _id, webhook_id, event_id, type, status, test = false, batch_id = null, attempt_count, attempts, due_at, created_at } = document;
  const embedded = attempts.at(-1);
  return {
    id: _id,
    webhook_id,
    event_id,
    type,
    status,
    batch_id,
    test,
    attempt_count,
    last_attempt: logged ?? (embedded ? attemptOf(embedded) : null),
    next_attempt_at: due_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
