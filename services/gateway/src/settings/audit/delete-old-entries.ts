import { createRunner } from '@mp/service-kit/runner';
import type { Parts } from '@mp/service-kit/service-parts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from './audit-log-store.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const everyMs = 60 * 60 * 1_000;
const maxAtOnce = 500;

type Deps = Pick<Parts, 'mongo'> & {
  accounts: Pick<AccountsStore, 'auditRetentions'>;
  auditLog: Pick<AuditLogStore, 'deleteBefore'>;
};

/** Deletes the entries that are older than their account keeps them. */
export async function deleteOldEntries({ mongo, accounts, auditLog }: Deps, now = new Date()) {
  for (const { id, days } of await accounts.auditRetentions()) {
    const before = new Date(now.getTime() - days * dayMs);
    const deleteSome = () =>
      mongo.transaction({ correlationId: id, causationId: null }, (tx) => auditLog.deleteBefore(tx, id, before, maxAtOnce));
    while (await deleteSome());
  }
}

/** Does so every hour. */
export const createDeleteOldEntries = ({ logger, ...deps }: Deps & Pick<Parts, 'logger'>) =>
  createRunner({
    logger,
    warning: 'deleting old audit entries failed; retrying',
    work: async () => {
      await deleteOldEntries(deps);
      return everyMs;
    },
  });
