import type { AccountId, UserId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountRow } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { heldBuiltIn, isWeaker } from '../roles/role.ts';
import { linkedMail } from '../users/account-mail-texts.ts';
import type { Mailer } from '../users/mailer.ts';
import type { SessionsStore } from '../users/sessions-store.ts';
import type { SignInLinksStore } from '../users/sign-in-links-store.ts';
import { invitedUser, maxUsers, type UserRow, userView } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { DomainsStore } from './domains-store.ts';
import type { IdentitiesStore } from './identities-store.ts';
import { domainOf, type Identity, mappedRole } from './identity.ts';
import type { SignInProvider } from './installation-provider.ts';

/** Why an identity is not a user. The sign-in page explains it without saying who is a user. */
export class NotAdmitted extends Error {
  readonly reason: 'unverified_email' | 'not_allowed' | 'no_role';

  constructor(reason: NotAdmitted['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** The identity can be linked once the user has proven the second factor: whoever controls the provider could sign in as the user. */
export class SecondFactorDue extends Error {
  readonly user: UserRow;

  constructor(user: UserRow) {
    super('second_factor_due');
    this.user = user;
  }
}

/** The identity is a user in several accounts, and the sign-in is for none of them in particular. */
export class AccountChoiceDue extends Error {
  readonly users: readonly UserRow[];

  constructor(users: readonly UserRow[]) {
    super('account_choice_due');
    this.users = users;
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

type Arrival = {
  provider: SignInProvider;
  identity: Identity;
  /** The account that the sign-in began for, if it is not that of the provider. */
  accountId?: AccountId | null;
  invitation: string | null;
  /** The user who has just proven the second factor. */
  confirmedBy?: UserId;
  now: Date;
};

/** Whom the account lets a provider sign in: its own providers say so themselves, those of the installation are one of its settings. */
const admissionOf = ({ provider }: Arrival, { installation_providers }: AccountRow): AccountRow['installation_providers'] => {
  if (provider.account_id === null) return installation_providers;
  return provider.just_in_time ? 'just_in_time' : 'existing_users';
};

const accountOf = ({ provider, accountId = null }: Arrival) => provider.account_id ?? accountId;

export type AdmitIdentity = ReturnType<typeof createAdmitIdentity>;

/**
 * The user that an identity signs in as. An identity is the provider with its subject: an email address finds a user only at the first
 * sign-in, only if the provider has verified it and the account has proven its domain, and only a user who is not linked yet. All this
 * is the same for providers of the whole installation, except that one identity can be a user in each of several accounts.
 */
export function createAdmitIdentity(deps: Deps) {
  const { accounts, users, sessions, signInLinks, identities, domains, auditLog, mailer, forgetHolder } = deps;

  /** Links the user, whose invitations are then of no use to anyone else. A suspended account changes nothing. */
  async function link(tx: Transaction, arrival: Arrival, user: UserRow, by: 'invitation' | 'domain') {
    const { provider, identity, confirmedBy, now } = arrival;
    if ((await accounts.find(user.account_id, tx))?.status !== 'active') throw new NotAdmitted('not_allowed');
    if (user.has_second_factor && confirmedBy !== user.id) throw new SecondFactorDue(user);
    await signInLinks.withdraw(tx, user);
    await identities.link(tx, provider, identity.subject, user, now);
    const details = { provider_id: provider.id, subject: identity.subject, by };
    await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.linked', target_id: user.id, details });
    const { email } = user;
    // Whoever controls the provider can now sign in as the user, so a user who already signs in otherwise is told.
    if (email !== null && userView(user).status === 'active') tx.afterCommit(() => void mailer?.send(linkedMail(email, provider.name)));
    return user;
  }

  /** The users that the identity is linked to, without those of accounts that do not admit the provider. */
  async function linked(tx: Transaction, arrival: Arrival): Promise<UserRow[]> {
    const found: UserRow[] = [];
    for (const known of await identities.find(tx, arrival.provider, arrival.identity.subject)) {
      if (known.account_id !== (accountOf(arrival) ?? known.account_id)) continue;
      const account = await accounts.find(known.account_id, tx);
      const user = await users.find(known.account_id, known.id, tx);
      if (user && account && admissionOf(arrival, account) !== 'off') found.push(user);
    }
    return found;
  }

  /** The user whom the invitation is for, if the user has not signed in yet. It is used up. */
  async function invited(tx: Transaction, arrival: Arrival): Promise<UserRow | undefined> {
    const used = arrival.invitation === null ? undefined : await signInLinks.useHashed(tx, arrival.invitation, arrival.now);
    if (!used || used.account_id !== accountOf(arrival)) return undefined;
    const account = await accounts.find(used.account_id, tx);
    const user = await users.find(used.account_id, used.user_id, tx);
    if (!user || !account || admissionOf(arrival, account) === 'off') return undefined;
    if (userView(user).status !== 'invited' || (await identities.has(tx, user))) return undefined;
    return link(tx, arrival, user, 'invitation');
  }

  /** The active accounts that have proven the domain and admit the provider. */
  async function accountsOf(tx: Transaction, arrival: Arrival, domain: string): Promise<AccountRow[]> {
    const only = accountOf(arrival);
    const ids = only === null ? await domains.accountsOf(domain, tx) : (await domains.isVerified(tx, only, domain)) ? [only] : [];
    const found: AccountRow[] = [];
    for (const id of ids) {
      const account = await accounts.find(id, tx);
      if (account?.status === 'active' && admissionOf(arrival, account) !== 'off') found.push(account);
    }
    return found;
  }

  /** What the verified address leads to in accounts that have proven its domain: users who can be linked, and accounts that create one. */
  async function ofDomain(tx: Transaction, arrival: Arrival) {
    const email = arrival.identity.verifiedEmail;
    const found: { linkable: UserRow[]; creating: AccountRow[] } = { linkable: [], creating: [] };
    if (email === undefined) return found;
    for (const account of await accountsOf(tx, arrival, domainOf(email))) {
      const user = await users.findInAccount(account.id, email, tx);
      // Whoever is linked stays with that identity, whatever another one says.
      if (user && !(await identities.has(tx, user))) found.linkable.push(user);
      if (!user && admissionOf(arrival, account) === 'just_in_time') found.creating.push(account);
    }
    return found;
  }

  /** An existing user first. A new one only if there is none, in the account that proved the domain first. */
  async function userOf(tx: Transaction, arrival: Arrival): Promise<UserRow> {
    const known = await linked(tx, arrival);
    if (known[0] && accountOf(arrival) !== null) return known[0];
    const invitee = await invited(tx, arrival);
    if (invitee) return invitee;
    const { linkable, creating } = await ofDomain(tx, arrival);
    if (known.length + linkable.length > 1) throw new AccountChoiceDue([...known, ...linkable]);
    if (known[0]) return known[0];
    if (linkable[0]) return link(tx, arrival, linkable[0], 'domain');
    const email = arrival.identity.verifiedEmail;
    if (email === undefined) throw new NotAdmitted('unverified_email');
    if (!creating[0]) throw new NotAdmitted('not_allowed');
    return create(tx, arrival, creating[0].id, email);
  }

  async function create(tx: Transaction, arrival: Arrival, accountId: AccountId, email: string): Promise<UserRow> {
    const { provider, identity, now } = arrival;
    const mapped = mappedRole(identity, provider);
    const role = mapped === undefined ? provider.default_role : mapped;
    if (role === null) throw new NotAdmitted('no_role');
    await accounts.lock(tx, accountId);
    if ((await users.count(tx, accountId)) >= maxUsers) throw new NotAdmitted('not_allowed');
    const user = invitedUser(accountId, { email, role, ...(identity.name !== undefined && { name: identity.name }) }, now);
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

  /** Throws NotAdmitted, AccountChoiceDue and SecondFactorDue. */
  return async (tx: Transaction, arrival: Arrival): Promise<UserRow> => {
    const { email_domains } = arrival.provider;
    const { verifiedEmail } = arrival.identity;
    if (email_domains.length > 0) {
      if (verifiedEmail === undefined) throw new NotAdmitted('unverified_email');
      if (!email_domains.includes(domainOf(verifiedEmail))) throw new NotAdmitted('not_allowed');
    }
    return withRole(tx, arrival, await userOf(tx, arrival));
  };
}
