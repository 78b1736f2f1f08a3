import { type AccountRow, requiresSecondFactor } from '../accounts/account.ts';
import type { SessionDocument } from './sessions-store.ts';
import type { UserRow } from './user.ts';

type Weighed = { session: Pick<SessionDocument, 'by' | 'factor_at'>; user: UserRow };

/** Whether the session lacks the factor that the account requires and the user has not. An identity provider asks for factors itself. */
export const mustEnroll = ({ session, user }: Weighed, account: Pick<AccountRow, 'second_factor'>) =>
  session.by !== 'single_sign_on' && !user.has_second_factor && requiresSecondFactor(account, user);

/** Whether the session lacks the proof that signing in would take now: it began before the user had a second factor. */
export const mustProve = ({ session, user }: Weighed) => session.by !== 'single_sign_on' && user.has_second_factor && !session.factor_at;
