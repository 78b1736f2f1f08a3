import type { AccountId, RunId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Revisioned } from '@mp/service-kit/settings-revision';
import { storedNames } from '@mp/service-kit/stored-names';
import type { Db } from 'mongodb';
import type { HeldBy } from '../runs/run.ts';
import type { Definition } from '../workflows/definition.ts';
import { defaultSettings, WorkflowSettings } from './settings.ts';

const quietHours = storedNames(WorkflowSettings.shape.quiet_hours);

type SettingsDocument = {
  /** By the names that they had first; missing until the account chooses its own settings. */
  quiet_hours?: unknown;
  approval?: WorkflowSettings['approval'];
  revision?: number;
  _id: AccountId;
  account_id: AccountId;
  changed_at?: Date;
  /** When the next runs that wait because of earlier settings are looked at, and the last one that was; missing after all were. */
  recheck_at?: Date;
  recheck_after?: RunId | null;
  /** What the runs wait for that are looked at; quiet hours, if an earlier version has changed the settings. */
  recheck_held?: HeldBy[];
};

/** An account whose settings have changed, what runs wait for because of them, and how far these have been looked at. */
export type ChangedSettings = { accountId: AccountId; changedAt: Date; held: readonly HeldBy[]; after: RunId | null };

/** Runs are looked at again, from the first. */
const fromStart = (now: Date) => ({ changed_at: now, recheck_at: now, recheck_after: null });

const knownMs = 10_000;
const maxKnown = 10_000;

/** After this long no process uses the settings from before a change. */
export const staleMs = knownMs + 1_000;

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** Owns the `settings` collection: one row per account that has changed its settings. */
export function createSettingsStore(db: Db) {
  const settings = db.collection<SettingsDocument>('settings');
  const known = new Map<string, { until: number; settings: WorkflowSettings }>();

  async function of(accountId: AccountId, tx?: Transaction): Promise<Revisioned<WorkflowSettings>> {
    const row = await settings.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
    if (!row) return { ...defaultSettings, revision: 0 };
    return { quiet_hours: quietHours.read(row.quiet_hours ?? null), approval: row.approval ?? 'off', revision: row.revision ?? 0 };
  }

  async function cached(accountId: AccountId): Promise<WorkflowSettings> {
    const found = known.get(accountId);
    if (found && found.until > performance.now()) return found.settings;
    const current = await of(accountId);
    const [oldest] = known.keys();
    if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest);
    known.set(accountId, { until: performance.now() + knownMs, settings: current });
    return current;
  }

  return {
    prepare: () =>
      prepareCollection(
        settings,
        [
          { name: 'account', key: { account_id: 1 } },
          { name: 'recheck', key: { recheck_at: 1 }, partialFilterExpression: { recheck_at: { $exists: true } } },
        ],
        db,
      ),

    of,

    /** The definition as runs of the account use it, with settings as of at most ten seconds ago. */
    async applied(accountId: AccountId, definition: Definition): Promise<Definition> {
      if (definition.quiet_hours !== null) return definition;
      const { quiet_hours } = await cached(accountId);
      return quiet_hours === null ? definition : { ...definition, quiet_hours };
    },

    async replace(tx: Transaction, accountId: AccountId, { revision, ...chosen }: Revisioned<WorkflowSettings>, now: Date) {
      const isChanged = (await of(accountId, tx)).revision !== revision;
      await settings.updateOne(
        { _id: accountId },
        {
          $set: {
            account_id: accountId,
            quiet_hours: quietHours.stored(chosen.quiet_hours),
            approval: chosen.approval,
            revision,
            ...(isChanged && fromStart(now)),
          },
          ...(isChanged && { $addToSet: { recheck_held: 'quiet_hours' } }),
        },
        { session: tx.session, upsert: true },
      );
      tx.afterCommit(() => {
        known.delete(accountId);
      });
    },

    /** Has the runs looked at that wait for the frequency cap, a setting of campaigns. */
    async capChanged(tx: Transaction, accountId: AccountId, now: Date) {
      await settings.updateOne(
        { _id: accountId },
        { $set: { account_id: accountId, ...fromStart(now) }, $addToSet: { recheck_held: 'frequency_cap' } },
        { session: tx.session, upsert: true },
      );
    },

    /** Claims, for `leaseMs`, the account whose waiting runs have to be looked at next. Accounts take turns. */
    async claimChanged(now: Date, leaseMs: number): Promise<ChangedSettings | undefined> {
      const row = await settings.findOneAndUpdate(
        { recheck_at: { $lte: now } },
        { $set: { recheck_at: new Date(now.getTime() + leaseMs) } },
        { sort: { recheck_at: 1 }, returnDocument: 'after' },
      );
      if (!row) return undefined;
      known.delete(row.account_id);
      const { account_id: accountId, changed_at: changedAt = now, recheck_held: held = ['quiet_hours'], recheck_after: after = null } = row;
      return { accountId, changedAt, held, after };
    },

    /** When and where looking at the runs continues; never if undefined. Settings that have changed again begin from the start. */
    async recheck({ accountId, changedAt }: ChangedSettings, next: { at: Date; after: RunId | null } | undefined) {
      await settings.updateOne(
        { _id: accountId, account_id: accountId, changed_at: changedAt },
        next
          ? { $set: { recheck_at: next.at, recheck_after: next.after } }
          : { $unset: { recheck_at: '', recheck_after: '', recheck_held: '' } },
      );
    },
  };
}
