import { isDeepStrictEqual } from 'node:util';
import type { CredentialState } from '@mp/contracts/credential-state';
import type { JournalEntry, JournalOf } from '@mp/contracts/journal';
import { type AccountId, isId } from '@mp/ids';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { currentScopes } from '../credentials/stored-scopes.ts';
import { stateOfKey } from '../settings/api-keys/api-key.ts';
import type { AuditAction } from '../settings/audit/audit-action.ts';
import { scheduleDeletion } from '../settings/deletions/schedule-deletion.ts';
import { stateOfClient } from '../settings/oauth/oauth-client.ts';
import { type HeldRole, UserRole } from '../settings/roles/role.ts';
import type { Stores } from '../settings/stores.ts';
import { removeUser } from '../settings/users/remove-user.ts';
import { passwordPrint } from '../settings/users/user.ts';
import { createReapplyAccountStatus } from './reapply-account-status.ts';

const heldBy = ({ role, role_scopes, role_limits }: HeldRole): HeldRole => ({ role, role_scopes, role_limits });

/** Erases an account of the backup again, without a grace period. */
async function eraseAgain(tx: Transaction, stores: Stores, accountId: AccountId): Promise<number> {
  const account = await stores.accounts.find(accountId, tx);
  const now = new Date();
  const deletion = await stores.accountDeletions.find(accountId, tx);
  if (!account || (deletion && deletion.eraseAt <= now)) return 0;
  await stores.accountDeletions.cancel(tx, accountId);
  await scheduleDeletion(tx, stores, account, now);
  return 1;
}

type Entry = JournalOf<'credential'> & { account_id: AccountId };
type State<Kind extends CredentialState['of']> = Extract<CredentialState, { of: Kind }>;

const origin = { correlationId: 'apply-journal', causationId: null };
const by = 'journal of a restored backup';

/**
 * Repeats in a restored backup what happened since: revokes keys, tokens, OAuth clients and old secrets, ends users, sessions,
 * passwords and sign-in links, narrows what was narrowed, suspends or reactivates accounts, and erases those that were erased. A credential changed after its last journal entry is not touched, so journals can be applied repeatedly and in any order.
 */
export function createApplyJournal(mongo: Mongo, stores: Stores) {
  const { apiKeys, oauthClients, oauthTokens, grants, roles, users, sessions, signInLinks, auditLog } = stores;
  const reapplyAccountStatus = createReapplyAccountStatus(stores);

  const audit = (tx: Transaction, { account_id, credential_id, at }: Entry, action: AuditAction) =>
    auditLog.add(
      tx,
      { accountId: account_id, id: null },
      { action, target_id: credential_id, details: { by, as_of: new Date(at).toISOString() } },
    );

  const isNewer = (tx: Transaction, { account_id, credential_id, at }: Entry, actions: readonly AuditAction[]) =>
    auditLog.hasSince(tx, account_id, { targetId: credential_id, actions, since: new Date(at) });

  async function endSecret(tx: Transaction, entry: Entry, hash: string): Promise<number> {
    const { account_id, credential_id: id } = entry;
    if (isId('grant', id)) return Number((await grants.revoke(tx, { id, account_id })) !== undefined);
    if (isId('client', id)) return Number((await oauthTokens.revoke(tx, id, hash)) !== undefined);
    if (isId('user', id)) return Number((await sessions.close(tx, hash)) !== undefined);
    const key = await apiKeys.find(account_id, id, tx);
    if (!key || key.hash !== hash || key.revoked_at) return 0;
    await apiKeys.revoke(tx, key);
    await audit(tx, entry, 'api_key.revoked');
    return 1;
  }

  async function limitKey(tx: Transaction, entry: Entry, state: State<'key'>): Promise<number> {
    const key = await apiKeys.find(entry.account_id, entry.credential_id, tx);
    if (!key || key.revoked_at || isDeepStrictEqual(stateOfKey(key), { ...state, ...currentScopes(state) })) return 0;
    if (state.ended) {
      await apiKeys.revoke(tx, key);
      await audit(tx, entry, 'api_key.revoked');
      return 1;
    }
    if (await isNewer(tx, entry, ['api_key.changed', 'api_key.rotated'])) return 0;
    const { permission, ip_allow, expires_at } = state;
    await apiKeys.update(tx, {
      ...key,
      permission,
      ...currentScopes(state),
      ip_allow,
      expires_at: expires_at === null ? null : new Date(expires_at),
    });
    await audit(tx, entry, 'api_key.changed');
    return 1;
  }

  async function limitClient(tx: Transaction, entry: Entry, state: State<'client'>): Promise<number> {
    const client = await oauthClients.find(entry.account_id, entry.credential_id, tx);
    if (!client || client.revoked_at) return 0;
    const { redirect_uris = client.redirect_uris, confidential = client.confidential } = state;
    const connectable = { redirect_uris, confidential };
    if (isDeepStrictEqual(stateOfClient(client), { ...state, ...currentScopes(state), ...connectable })) return 0;
    if (!state.ended && (await isNewer(tx, entry, ['oauth_client.changed', 'oauth_client.rotated']))) return 0;
    const { permission, ip_allow } = state;
    const secrets = state.secrets.map(({ hash, last4, created_for, created_at, expires_at }) => ({
      ...(created_for !== undefined && isId('user', created_for) && { created_for }),
      ...{ hash, last4, created_at: new Date(created_at), expires_at: expires_at === null ? null : new Date(expires_at) },
    }));
    const revoked_at = state.ended ? new Date(entry.at) : null;
    await oauthClients.update(tx, { ...client, permission, ...currentScopes(state), ip_allow, ...connectable, secrets, revoked_at });
    await audit(tx, entry, state.ended ? 'oauth_client.revoked' : 'oauth_client.changed');
    return 1;
  }

  /** The journal has only the fingerprint of a password, so a user whose password has changed must set a new one. */
  async function limitUser(tx: Transaction, entry: Entry, state: State<'user'>): Promise<number> {
    const user = await users.find(entry.account_id, entry.credential_id, tx);
    if (!user) return 0;
    const isOwner = user.role === 'owner';
    if (state.ended && !isOwner) {
      await removeUser(tx, user, stores);
      await audit(tx, entry, 'user.removed');
      return 1;
    }
    const held: HeldRole = isOwner
      ? heldBy(user)
      : { role: UserRole.parse(state.role), role_scopes: state.scopes ?? null, role_limits: state.sending_limits ?? null };
    const password = passwordPrint(user.password) === state.password_print ? user.password : null;
    if (
      (isDeepStrictEqual(held, heldBy(user)) && password === user.password) ||
      (await isNewer(tx, entry, ['user.changed', 'user.password_changed']))
    )
      return 0;
    await users.update(tx, { ...user, ...held, password });
    await roles.setAllowed(tx, entry.account_id, held);
    await audit(tx, entry, 'user.changed');
    return 1;
  }

  function limit(tx: Transaction, entry: Entry, state: CredentialState): Promise<number> {
    switch (state.of) {
      case 'key':
        return limitKey(tx, entry, state);
      case 'client':
        return limitClient(tx, entry, state);
      case 'user':
        return limitUser(tx, entry, state);
    }
  }

  return async (journal: AsyncIterable<JournalEntry>) => {
    const ended = new Map<string, Entry & { secret_hash: string }>();
    const last = new Map<string, Entry & { state: CredentialState }>();
    const accounts = new Map<string, JournalOf<'account'>>();
    const erased = new Set<AccountId>();
    let exportedAt = '';
    for await (const entry of journal) {
      if (entry.kind === 'exported' && entry.at > exportedAt) exportedAt = entry.at;
      if (entry.kind === 'account' && entry.revision >= (accounts.get(entry.account_id)?.revision ?? 0))
        accounts.set(entry.account_id, entry);
      if (entry.kind === 'account_erasure') erased.add(entry.account_id);
      if (entry.kind !== 'credential') continue;
      const { secret_hash, state } = entry;
      if (secret_hash !== undefined) ended.set(secret_hash, { ...entry, secret_hash });
      if (state && entry.at >= (last.get(entry.credential_id)?.at ?? '')) last.set(entry.credential_id, { ...entry, state });
    }
    const done = { accounts: 0, secrets: 0, credentials: 0, erased_accounts: 0, sign_in_links: 0 };
    for (const entry of accounts.values()) done.accounts += await mongo.transaction(origin, (tx) => reapplyAccountStatus(tx, entry));
    for (const entry of last.values()) done.credentials += await mongo.transaction(origin, (tx) => limit(tx, entry, entry.state));
    for (const entry of ended.values()) done.secrets += await mongo.transaction(origin, (tx) => endSecret(tx, entry, entry.secret_hash));
    for (const accountId of erased) done.erased_accounts += await mongo.transaction(origin, (tx) => eraseAgain(tx, stores, accountId));
    // The journal does not record the use of sign-in links, so all links in the backup are revoked.
    if (exportedAt !== '') done.sign_in_links = await signInLinks.withdrawMadeBefore(new Date(exportedAt));
    return done;
  };
}
