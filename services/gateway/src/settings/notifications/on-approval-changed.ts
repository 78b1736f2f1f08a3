import type { ApprovalChange, approvalChanged } from '@mp/contracts/approval';
import type { EventType } from '@mp/contracts/event';
import { refusal, type Scope } from '@mp/contracts/permissions';
import { isId, trustedId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { z } from 'zod';
import { makerOf } from '../../credentials/made-by.ts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { OauthClientsStore } from '../oauth/oauth-clients-store.ts';
import { privilegesOfRole } from '../roles/role.ts';
import type { Mailer } from '../users/mailer.ts';
import type { UserRow } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';

type Changed = z.output<z.ZodObject<typeof approvalChanged>>;

type Deps = {
  users: Pick<UsersStore, 'all' | 'find'>;
  apiKeys: Pick<ApiKeysStore, 'find'>;
  oauthClients: Pick<OauthClientsStore, 'find'>;
  auditLog: Pick<AuditLogStore, 'add'>;
  mailer: Mailer;
  publicUrl: string;
};

/** What approval is about: its noun, which names the audit actions too, the scope that decides, and the ID and the page of one. */
type Subject<Data extends Changed> = { noun: 'campaign' | 'workflow'; scope: Scope; idOf: (data: Data) => string };

export const subjects = {
  campaign: { noun: 'campaign', scope: 'campaigns:send', idOf: (data: { campaign_id: string }) => data.campaign_id },
  workflow: { noun: 'workflow', scope: 'workflows:activate', idOf: (data: { workflow_id: string }) => data.workflow_id },
} as const;

/** The largest number of approvers that one request emails. */
const maxApprovers = 100;

const actions = {
  requested: 'approval_requested',
  approved: 'approved',
  rejected: 'rejected',
  withdrawn: 'approval_withdrawn',
} as const satisfies Record<ApprovalChange, string>;

/**
 * Adds a change of a request for approval to the audit log, and emails it: a request to the users who can decide it, anything else to the
 * user who requested it. The emails leave after the commit, so a gateway that crashes at that moment sends none, rather than two.
 */
export const onApprovalChanged = <Data extends Changed>(
  event: EventType<z.ZodType<Data>>,
  { noun, scope, idOf }: Subject<Data>,
  { users, apiKeys, oauthClients, auditLog, mailer, publicUrl }: Deps,
) =>
  on(event, async (tx, { account_id, data }) => {
    const accountId = trustedId<'account'>(account_id);
    const { change, name, actor_id, requested_by, comment, revision } = data;
    const actor = { accountId, id: trustedId<'key' | 'client' | 'user'>(actor_id) };
    await auditLog.add(tx, actor, {
      action: `${noun}.${actions[change]}`,
      target_id: idOf(data),
      details: { name, revision, ...(comment !== null && { comment }) },
    });
    if (!mailer) return;

    async function receivers() {
      if (change !== 'requested') {
        const requester =
          isId('user', requested_by) && requested_by !== actor_id ? await users.find(accountId, requested_by, tx) : undefined;
        return requester ? [requester] : [];
      }
      const key = await apiKeys.find(accountId, requested_by, tx);
      const client = await oauthClients.find(accountId, requested_by, tx);
      const makers = client ? client.secrets.map((secret) => makerOf({ ...client, ...secret })) : key ? [makerOf(key)] : [];
      const own = [requested_by, ...makers];
      const mayDecide = (user: UserRow) => !own.includes(user.id) && refusal(privilegesOfRole(user), 'POST', scope) === undefined;
      return (await users.all(accountId)).filter(mayDecide).slice(0, maxApprovers);
    }
    const outcome = {
      requested: 'awaits approval',
      approved: 'was approved',
      rejected: 'was rejected',
      withdrawn: 'no longer awaits approval',
    };
    const subject = `The ${noun} “${name}” ${outcome[change]}`.replace(/\s+/g, ' ');
    const page = `${publicUrl}/${noun}s/${idOf(data)}`;
    const text = [`${subject}.`, ...(comment === null ? [] : [comment]), page].join('\n\n');
    const addresses = (await receivers()).flatMap(({ email }) => email ?? []);
    tx.afterCommit(() => {
      for (const to of addresses) void mailer.send({ to, subject, text });
    });
  });
