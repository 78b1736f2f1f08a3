import { ContactsAudited } from '@mp/contracts/events/contacts';
import { trustedId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { AuditLogStore } from './audit-log-store.ts';

/** Adds the entry to the audit log. */
export const onContactsAudited = (auditLog: Pick<AuditLogStore, 'add'>) =>
  on(ContactsAudited, async (tx, { account_id, data: { actor_id, ...entry } }) => {
    const actor = { accountId: account_id, id: trustedId<'key' | 'client' | 'user'>(actor_id) };
    await auditLog.add(tx, actor, entry);
  });
