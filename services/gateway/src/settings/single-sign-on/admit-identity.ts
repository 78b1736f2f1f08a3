import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { heldBuiltIn, isWeaker } from '../roles/role.ts';
import type { Mailer } from '../users/mailer.ts';
import { linkedMail } from '../users/mails.ts';
import type { SessionsStore } from '../users/sessions-store.ts';
import type { SignInLinksStore } from '../users/sign-in-links-store.ts';
import { invitedUser, maxUsers, type UserRow, userView } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { DomainsStore } from './domains-store.ts';
import type { IdentitiesStore } from './identities-store.ts';
import { domainOf, type Identity, mappedRole } from './identity.ts';
import type { IdentityProviderRow } from './identity-provider.ts';

/** Why an identity is no user. The sign-in page explains it without saying who is a user. */
export class NotAdmitted extends Error {
  readonly reason: 'unverified_email' | 'not_allowed' | 'no_role';

  constructor(reason: NotAdmitted['reason']) {
    super(reason);
    this.reason = reason;
  }
}

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  sessions: SessionsStore;
  signInLinks: SignInLinksStore;
  identities: IdentitiesStore;
  domains: DomainsStore;
  auditLog: AuditLogStore;
  mailer: Mailer;
  forgetHolder: (id: UserRow['id']) => void;
};

type Arrival = { provider: IdentityProviderRow; identity: Identity; invitation: string | null; now: Date };

export type AdmitIdentity = ReturnType<typeof createAdmitIdentity>;

/**
 * The user that an identity signs in as. An identity is the provider with its subject: an email address finds a user only at the first
 * sign-in, only if the provider has verified it and the account has proven its domain, and only a user who is not linked yet.
 */
export function createAdmitIdentity(deps: Deps) {
  const { accounts, users, sessions, signInLinks, identities, domains, auditLog, mailer, forgetHolder } = deps;

  /** Links the user, whose invitations are then of no use to anyone else. A suspended account changes nothing. */
  async function link(tx: Transaction, { provider, identity, now }: Arrival, user: UserRow, by: 'invitation' | 'domain') {
    if ((await accounts.find(provider.account_id, tx))?.status !== 'active') throw new NotAdmitted('not_allowed');
    await signInLinks.withdraw(tx, user);
    await identities.link(tx, provider, identity.subject, user, now);
    const details = { provider_id: provider.id, subject: identity.subject, by };
    await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.linked', target_id: user.id, details });
    const { email } = user;
    // Whoever controls the provider can now sign in as the user, so a user who already signs in otherwise is told.
    if (email !== null && userView(user).status === 'active') tx.afterCommit(() => void mailer?.send(linkedMail(email, provider.name)));
    return user;
  }

  async function linked(tx: Transaction, { provider, identity }: Arrival): Promise<UserRow | undefined> {
    const known = await identities.find(tx, provider, identity.subject);
    return known ? users.find(provider.account_id, known.user_id, tx) : undefined;
  }

  /** The user whom the invitation is for, if the user has not signed in yet. It is used up. */
  async function invited(tx: Transaction, arrival: Arrival): Promise<UserRow | undefined> {
    const { provider, invitation, now } = arrival;
    const used = invitation === null ? undefined : await signInLinks.useHashed(tx, invitation, now);
    const user = used?.account_id === provider.account_id ? await users.find(provider.account_id, used.user_id, tx) : undefined;
    if (!user || userView(user).status !== 'invited' || (await identities.has(tx, user))) return undefined;
    return link(tx, arrival, user, 'invitation');
  }

  async function ofDomain(tx: Transaction, arrival: Arrival): Promise<UserRow> {
    const { provider, identity } = arrival;
    const email = identity.verifiedEmail;
    if (email === undefined) throw new NotAdmitted('unverified_email');
    if (!(await domains.isVerified(tx, provider.account_id, domainOf(email)))) throw new NotAdmitted('not_allowed');
    const user = await users.findInAccount(provider.account_id, email, tx);
    if (!user) return create(tx, arrival, email);
    // Whoever is linked stays with that identity, whatever another one says.
    if (await identities.has(tx, user)) throw new NotAdmitted('not_allowed');
    return link(tx, arrival, user, 'domain');
  }

  async function create(tx: Transaction, arrival: Arrival, email: string): Promise<UserRow> {
    const { provider, identity, now } = arrival;
    if (!provider.just_in_time) throw new NotAdmitted('not_allowed');
    const mapped = mappedRole(identity, provider);
    const role = mapped === undefined ? provider.default_role : mapped;
    if (role === null) throw new NotAdmitted('no_role');
    await accounts.lock(tx, provider.account_id);
    if ((await users.count(tx, provider.account_id)) >= maxUsers) throw new NotAdmitted('not_allowed');
    const user = invitedUser(provider.account_id, { email, role, ...(identity.name !== undefined && { name: identity.name }) }, now);
    await users.insert(tx, user);
    const details = { email, role, provider_id: provider.id };
    await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.created', target_id: user.id, details });
    return link(tx, arrival, user, 'domain');
  }

  /** Applies the role that the provider determines. The owner keeps theirs. A weaker role ends the open sessions. */
  async function withRole(tx: Transaction, { provider, identity }: Arrival, user: UserRow): Promise<UserRow> {
    const role = mappedRole(identity, provider);
    if (role === undefined || user.role === 'owner' || role === user.role) return user;
    if (role === null) throw new NotAdmitted('no_role');
    const changed = { ...user, ...heldBuiltIn(role) };
    await users.update(tx, changed);
    const ended = isWeaker(changed, user) ? await sessions.closeOf(tx, user, { except: undefined }) : [];
    const details = { before: { role: user.role }, after: { role }, provider_id: provider.id, sessions_ended: ended.length };
    await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.changed', target_id: user.id, details });
    tx.afterCommit(() => forgetHolder(user.id));
    return changed;
  }

  /** Throws NotAdmitted. */
  return async (tx: Transaction, arrival: Arrival): Promise<UserRow> => {
    const { email_domains } = arrival.provider;
    const { verifiedEmail } = arrival.identity;
    if (email_domains.length > 0) {
      if (verifiedEmail === undefined) throw new NotAdmitted('unverified_email');
      if (!email_domains.includes(domainOf(verifiedEmail))) throw new NotAdmitted('not_allowed');
    }
    const user = (await linked(tx, arrival)) ?? (await invited(tx, arrival)) ?? (await ofDomain(tx, arrival));
    return withRole(tx, arrival, user);
  };
}
