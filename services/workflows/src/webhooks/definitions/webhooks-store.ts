import { ApiError, notFound } from '@mp/contracts/errors';
import type { Plan } from '@mp/contracts/plan';
import type { AccountId, WebhookId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { createSharedReads } from './shared-reads.ts';
import type { Sealing } from './signing-secrets.ts';
import { maxWebhooks, type Webhook } from './webhook.ts';

type Secret = { sealed: string; expires_at: Date | null };

type WebhookDocument = Omit<Webhook, 'id' | 'filter' | 'failing_since' | 'previous_secret_expires_at' | 'created_at' | 'updated_at'> & {
  _id: WebhookId;
  account_id: AccountId;
  /** JSON, because attribute keys in a filter can be names that MongoDB 4.0 does not accept. */
  filter: string | null;
  /** The encrypted JSON of the headers. */
  headers: string;
  /** The current secret first. */
  secrets: Secret[];
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** A webhook with what a delivery needs. */
export type Target = Webhook & { accountId: AccountId; headers: Record<string, string>; secrets: string[] };

export type WebhooksStore = ReturnType<typeof createWebhooksStore>;

/** Owns the `webhooks` collection. */
export function createWebhooksStore(db: Db, cursors: Cursors, sealing: Sealing, clock: Clock) {
  const webhooks = db.collection<WebhookDocument>('webhooks');
  /** One row per account, written to make concurrent creations take turns. */
  const accounts = db.collection<{ _id: string; created: number }>('webhook_accounts');

  const shown = (document: WebhookDocument) => webhookOf(document, clock());

  const recordedIn = (accountIds: readonly AccountId[]) => ({
    account_id: { $in: [...accountIds] },
    disabled_reason: { $ne: 'manual' as const },
  });

  const patterns = createSharedReads(async (accountIds: readonly AccountId[]) => {
    const found = await webhooks.find(recordedIn(accountIds), { projection: { account_id: 1, events: 1 } }).toArray();
    const of = Map.groupBy(found, ({ account_id }) => account_id);
    return (id) => (of.get(id) ?? []).flatMap(({ events }) => events);
  });

  const targetOf = (document: WebhookDocument, now: Date): Target => ({
    ...webhookOf(document, now),
    accountId: document.account_id,
    headers: JSON.parse(sealing.open(document._id, document.headers)),
    secrets: document.secrets.filter((secret) => isValid(secret, now)).map(({ sealed }) => sealing.open(document._id, sealed)),
  });

  return {
    async prepare() {
      await prepareCollection(webhooks, [{ key: { account_id: 1, created_at: 1, _id: 1 } }, { key: { account_id: 1, status: 1 } }], db);
      await prepareCollection(accounts, [], db);
    },

    /** Throws PLAN_LIMIT_EXCEEDED. */
    async insert(
      tx: Transaction,
      accountId: AccountId,
      { plan, webhook, ...given }: { plan: Plan; webhook: Webhook; secret: string; headers: object },
    ) {
      const { session } = tx;
      await accounts.updateOne({ _id: accountId }, { $inc: { created: 1 } }, { session, upsert: true });
      const max = maxWebhooks[plan];
      if ((await webhooks.countDocuments({ account_id: accountId }, { session })) >= max) {
        throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account on this plan can have at most ${max} webhooks; delete one first.`);
      }
      const secrets = [{ sealed: sealing.seal(webhook.id, given.secret), expires_at: null }];
      const headers = sealing.seal(webhook.id, JSON.stringify(given.headers));
      await webhooks.insertOne({ ...fieldsOf(webhook), _id: webhook.id, account_id: accountId, headers, secrets }, { session });
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: WebhookId, tx?: Transaction): Promise<Webhook> {
      const document = await webhooks.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return shown(document);
    },

    async list(
      accountId: AccountId,
      query: { limit: number; cursor?: string | undefined; sort: string; include?: 'total_count' | undefined },
    ) {
      const { limit, cursor, sort, include } = query;
      const { items, pagination } = await findPage({
        collection: webhooks,
        filter: { account_id: accountId },
        order: parseSort(sort),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'webhooks', sort],
        total: include !== undefined,
      });
      return { items: items.map(shown), pagination };
    },

    async replace(tx: Transaction, accountId: AccountId, webhook: Webhook, headers?: object) {
      const sealed = headers && { headers: sealing.seal(webhook.id, JSON.stringify(headers)) };
      await webhooks.updateOne(
        { _id: webhook.id, account_id: accountId },
        { $set: { ...fieldsOf(webhook), ...sealed } },
        { session: tx.session },
      );
    },

    async remove(tx: Transaction, accountId: AccountId, id: WebhookId) {
      await webhooks.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    /** Makes `secret` the current one. The previous one is used until then; earlier ones no longer. */
    async rotate(
      tx: Transaction,
      accountId: AccountId,
      { webhook, secret, previousUntil }: { webhook: Webhook; secret: string; previousUntil: Date },
    ) {
      const document = await webhooks.findOne({ _id: webhook.id, account_id: accountId }, { session: tx.session });
      const [current] = document?.secrets ?? [];
      const secrets = [
        { sealed: sealing.seal(webhook.id, secret), expires_at: null },
        ...(current ? [{ ...current, expires_at: previousUntil }] : []),
      ];
      await webhooks.updateOne(
        { _id: webhook.id, account_id: accountId },
        { $set: { ...fieldsOf(webhook), secrets } },
        { session: tx.session },
      );
    },

    /** The patterns of all webhooks of the account for which events are recorded. Calls at the same time share one read. */
    patterns: (accountId: AccountId): Promise<readonly string[]> => patterns(accountId),

    /** The webhooks of these accounts for which events are recorded: all but those that an update disabled. */
    async recording(accountIds: readonly AccountId[], tx: Transaction): Promise<Map<AccountId, Webhook[]>> {
      const found = await webhooks.find(recordedIn(accountIds), { session: tx.session }).toArray();
      return new Map([...Map.groupBy(found, ({ account_id }) => account_id)].map(([id, own]) => [id, own.map(shown)]));
    },

    /** Without those that were deleted; an Error for one whose secrets cannot be decrypted. */
    async targets(ids: readonly WebhookId[], now: Date): Promise<Map<string, Target | Error>> {
      const found = await webhooks.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(found.map((document) => [document._id, attempt(() => targetOf(document, now))]));
    },

    /** Throws NOT_FOUND. */
    async target(accountId: AccountId, id: WebhookId, now: Date): Promise<Target> {
      const document = await webhooks.findOne({ _id: id, account_id: accountId });
      if (!document) throw notFound();
      return targetOf(document, now);
    },

    /** Records whether attempts fail. Returns since when they do, or null. */
    async noteOutcome({ id, accountId, failing_since }: Target, ok: boolean, now: Date): Promise<Date | null> {
      if (ok === (failing_since === null)) return failing_since === null ? null : new Date(failing_since);
      const other = ok ? { $ne: null } : null;
      await webhooks.updateOne({ _id: id, account_id: accountId, failing_since: other }, { $set: { failing_since: ok ? null : now } });
      return ok ? null : now;
    },

    /** Disables an active webhook. Returns whether it did. */
    async disable(tx: Transaction, { id, accountId }: Target, reason: 'gone' | 'failing', now: Date): Promise<boolean> {
      const { modifiedCount } = await webhooks.updateOne(
        { _id: id, account_id: accountId, status: 'active' },
        { $set: { status: 'disabled', disabled_reason: reason, updated_at: now }, $inc: { revision: 1 } },
        { session: tx.session },
      );
      return modifiedCount === 1;
    },
  };
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const isValid = ({ expires_at }: Secret, now: Date) => expires_at === null || expires_at > now;

function webhookOf(document: WebhookDocument, now: Date): Webhook {
  const { _id, account_id: _, headers: _h, secrets, filter, failing_since, created_at, updated_at, ...fields } = document;
  const [, previous] = secrets;
  return {
    id: _id,
    ...fields,
    filter: filter === null ? null : JSON.parse(filter),
    // Webhooks of earlier releases have no such field.
    batch: fields.batch ?? null,
    failing_since: failing_since?.toISOString() ?? null,
    previous_secret_expires_at: previous && isValid(previous, now) ? (previous.expires_at?.toISOString() ?? null) : null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

function fieldsOf({ id: _, previous_secret_expires_at: _p, ...webhook }: Webhook) {
  return {
    ...webhook,
    filter: webhook.filter === null ? null : JSON.stringify(webhook.filter),
    failing_since: webhook.failing_since === null ? null : new Date(webhook.failing_since),
    created_at: new Date(webhook.created_at),
    updated_at: new Date(webhook.updated_at),
  };
}
