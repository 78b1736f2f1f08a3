import { LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import { trustedId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { AuditLogStore } from './audit-log-store.ts';

/** Adds the entry to the audit log. */
export const onLeadpulseSettingsChanged = (auditLog: Pick<AuditLogStore, 'add'>) =>
  on(LeadpulseSettingsChanged, async (tx, { account_id, data: { actor_id, changes } }) => {
    const actor = { accountId: account_id, id: trustedId<'key' | 'client' | 'user'>(actor_id) };
    await auditLog.add(tx, actor, { action: 'leadpulse_settings.changed', target_id: account_id, details: changes });
  });
