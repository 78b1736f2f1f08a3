import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Definition } from '../workflows/definition.ts';
import { defaultSettings, type WorkflowSettings } from './settings.ts';

type SettingsDocument = WorkflowSettings & { _id: string; account_id: AccountId };

const knownMs = 10_000;
const maxKnown = 10_000;

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** The only access to the `settings` collection: one row per account that has changed its settings. */
export function createSettingsStore(db: Db) {
  const settings = db.collection<SettingsDocument>('settings');
  const known = new Map<string, { until: number; settings: WorkflowSettings }>();

  async function of(accountId: AccountId, tx?: Transaction): Promise<WorkflowSettings> {
    const row = await settings.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
    return row ? { quiet_hours: row.quiet_hours } : defaultSettings;
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
    prepare: () => prepareCollection(settings, [{ name: 'account', key: { account_id: 1 } }], db),

    of,

    /** The definition as runs of the account use it, with settings as of at most ten seconds ago. */
    async applied(accountId: AccountId, definition: Definition): Promise<Definition> {
      if (definition.quiet_hours !== null) return definition;
      const { quiet_hours } = await cached(accountId);
      return quiet_hours === null ? definition : { ...definition, quiet_hours };
    },

    async replace(tx: Transaction, accountId: AccountId, chosen: WorkflowSettings) {
      await settings.replaceOne({ _id: accountId }, { account_id: accountId, ...chosen }, { session: tx.session, upsert: true });
      tx.afterCommit(() => {
        known.delete(accountId);
      });
    },
  };
}
