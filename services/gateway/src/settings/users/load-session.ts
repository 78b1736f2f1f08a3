import { anyAddress, type Credential, credentialOf } from '../../credentials/credential.ts';
import { decidingAccount, mustUseSingleSignOn } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { privilegesOfRole } from '../roles/role.ts';
import { mustEnroll, mustProve } from './session-requirements.ts';
import { endOfSession, type SessionsStore } from './sessions-store.ts';
import type { UsersStore } from './users-store.ts';

type Stores = { accounts: Pick<AccountsStore, 'find'>; users: Pick<UsersStore, 'find'>; sessions: Pick<SessionsStore, 'find'> };

/** Reads a dashboard session by the hash of its token. The credential is the user, with what their role allows. */
export const loadSession =
  ({ accounts, users, sessions }: Stores, now: () => number) =>
  async (hash: string): Promise<Credential | undefined> => {
    const session = await sessions.find(hash);
    if (!session) return undefined;
    const user = await users.find(session.account_id, session.user_id);
    const account = user && (await accounts.find(user.account_id));
    if (!account || (session.by !== 'single_sign_on' && mustUseSingleSignOn(account, user))) return undefined;
    const { permission, scopes } = privilegesOfRole(user);
    const expires_at = endOfSession(session, account);
    if (expires_at.getTime() <= now()) return undefined;
    const secondFactor = {
      ...{ has: user.has_second_factor, provenAt: session.factor_at?.getTime() ?? null },
      ...{ mustEnroll: mustEnroll({ session, user }, account), mustProve: mustProve({ session, user }) },
    };
    return credentialOf(
      {
        ...{ kind: 'session', id: user.id, hash, permission, scopes, expires_at },
        ...{ allowsAddress: anyAddress, secondFactor, sendingLimits: user.role_limits },
      },
      decidingAccount(account),
    );
  };
