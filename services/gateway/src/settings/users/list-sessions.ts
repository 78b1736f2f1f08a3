import type { Server } from '@mp/service-kit/create-server';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { endOfSession } from './sessions-store.ts';
import { type SignedInDeps, signedIn } from './signed-in.ts';

/** The open sessions of the signed-in user, in every browser. */
export function listSessions(app: Server, deps: SignedInDeps & { accounts: Pick<AccountsStore, 'find'> }) {
  app.get('/auth/sessions', { schema: { hide: true } }, async (request) => {
    const mine = await signedIn(request, deps);
    const now = new Date();
    const account = await deps.accounts.find(mine.user.account_id);
    const open = (await deps.sessions.list(mine.user, now))
      .map((session) => ({ ...session, ends_at: account ? endOfSession(session, account) : session.expires_at }))
      .filter(({ ends_at }) => ends_at > now);
    const items = open.map(({ _id, id, by, second_factor = null, address, user_agent, created_at, used_at = created_at, ends_at }) => ({
      id,
      current: _id === mine.session._id,
      by,
      second_factor,
      address,
      user_agent,
      created_at: created_at.toISOString(),
      last_used_at: used_at.toISOString(),
      expires_at: ends_at.toISOString(),
    }));
    return { success: true, data: { items } };
  });
}
