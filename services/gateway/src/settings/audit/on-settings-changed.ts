import type { approvalSettingChanged } from '@mp/contracts/approval';
import type { EventType } from '@mp/contracts/event';
import { trustedId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { AuditAction } from './audit-action.ts';
import type { AuditLogStore } from './audit-log-store.ts';

/** Adds the entry to the audit log. */
export const onSettingsChanged = (
  event: EventType<typeof approvalSettingChanged>,
  action: AuditAction,
  auditLog: Pick<AuditLogStore, 'add'>,
) =>
  on(event, async (tx, { account_id, data: { actor_id, changes } }) => {
    const actor = { accountId: account_id, id: trustedId<'key' | 'client' | 'user'>(actor_id) };
    await auditLog.add(tx, actor, { action, target_id: account_id, details: changes });
  });
