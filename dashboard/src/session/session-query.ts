import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Api, responseData, useApi } from '../api/api.ts';
import { showTimesIn } from '../time/zone.ts';
import {
  addPasskey,
  beginTotp,
  confirmTotp,
  fetchFactors,
  finishSignIn,
  type Proof,
  removeFactor,
  renameFactor,
  replaceRecoveryCodes,
  signInWithPasskey,
} from './second-factor.ts';
import {
  type Credentials,
  chooseAccount,
  confirmEmail,
  type EndedSessions,
  endSessions,
  fetchDue,
  fetchSession,
  fetchSessions,
  fetchSignInProviders,
  isDue,
  type NewPassword,
  requestLink,
  type Session,
  type SignInOutcome,
  setPassword,
  signIn,
  signOut,
  stopReport,
} from './session.ts';
import { confirmed, stepUp } from './step-up.ts';
import { removeDrafts } from './stored-draft.ts';

const queryKey = ['session'];

export const sessionQuery = queryOptions({
  queryKey,
  queryFn: async () => {
    const session = await fetchSession();
    // Another user may have signed in on the page of an identity provider.
    if (session) removeDrafts({ except: session });
    return session;
  },
  // Another tab or device may have ended the session, so it is checked whenever the window gets the focus.
  staleTime: 5_000,
  refetchOnWindowFocus: 'always',
});

export const currentSession = (queries: QueryClient) => queries.getQueryData<Session | null>(queryKey) ?? undefined;

/** Clears the session and all data that was loaded in it. */
export function endSession(queries: QueryClient) {
  queries.setQueryData<Session | null>(queryKey, null);
  queries.removeQueries({ predicate: (query) => query.queryKey[0] !== queryKey[0] });
}

const tabs = new BroadcastChannel('mp-session');

/** Refetches everything when another tab signs in or out. */
export function followOtherTabs(queries: QueryClient) {
  tabs.addEventListener('message', () => void queries.invalidateQueries());
}

/** A way to sign in: with a link or a password, with a passkey alone, or with what is then due. */
function useOpenSession<Given>(open: (given: Given) => Promise<SignInOutcome>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: open,
    gcTime: 0,
    onSuccess: (outcome) => {
      if (isDue(outcome)) return;
      endSession(queries);
      removeDrafts({ except: outcome });
      queries.setQueryData<Session | null>(queryKey, outcome);
      tabs.postMessage('changed');
    },
  });
}

/** The identity providers of the whole installation. */
export const signInProvidersQuery = queryOptions({
  queryKey: ['sign-in-providers'],
  queryFn: fetchSignInProviders,
  staleTime: Number.POSITIVE_INFINITY,
});

/** What is due, in a browser that has come back from an identity provider. */
export const dueQuery = (step: Parameters<typeof fetchDue>[0]) =>
  queryOptions({ queryKey: ['sign-in-due', step], queryFn: () => fetchDue(step), retry: false, gcTime: 0 });

export const useSignIn = () =>
  useOpenSession((given: Credentials | 'passkey') => (given === 'passkey' ? signInWithPasskey() : signIn(given)));
export const useChooseAccount = () => useOpenSession(chooseAccount);
export const useFinishSignIn = () => useOpenSession((proof: Proof) => finishSignIn(proof));

export function useSignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const session = currentSession(queries);
      if (session) await signOut(session);
      removeDrafts();
    },
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      endSession(queries);
      tabs.postMessage('changed');
    },
  });
}

export function useConfirmEmail() {
  const queries = useQueryClient();
  return useMutation({ mutationFn: confirmEmail, gcTime: 0, onSuccess: () => queries.invalidateQueries({ queryKey }) });
}

export const useStopReportByLink = () => useMutation({ mutationFn: stopReport, gcTime: 0 });

export const useRequestLink = () => useMutation({ mutationFn: requestLink });

export function useSetPassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewPassword) => confirmed(() => setPassword(signedInNow(queries), wanted)),
    gcTime: 0,
    onSuccess: async ({ session }) => {
      queries.setQueryData<Session | null>(queryKey, session);
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
  });
}

const sessionsKey = ['sessions'];

export const useSessions = () => useQuery({ queryKey: sessionsKey, queryFn: () => confirmed(fetchSessions) });

export function useEndSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (which: EndedSessions) => confirmed(() => endSessions(signedInNow(queries), which)),
    onSuccess: (_, which) => 'all' in which && endSession(queries),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
}

export const factorsKey = ['second-factors'];

export const useFactors = () => useQuery({ queryKey: factorsKey, queryFn: fetchFactors });

/** A change of the user's second factors, which the user may first have to confirm. */
function useFactorChange<Given, Result>(change: (session: Session, given: Given) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (given: Given) => confirmed(() => change(signedInNow(queries), given)),
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: factorsKey }),
  });
}

export const useBeginTotp = () => useFactorChange((session, name: string) => beginTotp(session, name));
export const useConfirmTotp = () => useFactorChange((session, begun: { id: string; code: string }) => confirmTotp(session, begun));
export const useAddPasskey = () => useFactorChange((session, name: string) => addPasskey(session, name));
export const useRenameFactor = () => useFactorChange((session, factor: { id: string; name: string }) => renameFactor(session, factor));
export const useRemoveFactor = () => useFactorChange((session, id: string) => removeFactor(session, id));
export const useReplaceRecoveryCodes = () => useFactorChange((session, _: undefined) => replaceRecoveryCodes(session));

/** Refetches everything, after a change of what the user may see. */
export function useRefetchAll() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}

/** Whether a rejected request is to be sent again: the user has confirmed who they are. Who must add a factor first, is shown how. */
export async function confirmInSession(queries: QueryClient): Promise<boolean> {
  const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
  return session && !session.mustAddSecondFactor ? stepUp.request() : false;
}

function signedInNow(queries: QueryClient): Session {
  const session = currentSession(queries);
  if (!session) throw new Error('Your session has ended. Sign in again.');
  return session;
}

const meKey = ['me'];

type MyAccount = NonNullable<ReturnType<typeof useMe>['data']>['account'];

/** Updates the account in the cache; the server's response for `/v2/me` changes a moment later. */
export function changeMyAccount(queries: QueryClient, { name, timezone }: Pick<MyAccount, 'name' | 'timezone'>) {
  queries.setQueryData<ReturnType<typeof useMe>['data']>(meKey, (me) => me && { ...me, account: { ...me.account, name, timezone } });
  showTimesIn(timezone);
}

/** The signed-in user. Times are shown in the zone of the user's account from then on. */
export const meQuery = (api: Api) =>
  queryOptions({
    queryKey: meKey,
    queryFn: async ({ signal }) => {
      const me = await responseData(api.GET('/v2/me', { signal }));
      showTimesIn(me.account.timezone);
      return me;
    },
    staleTime: 60_000,
  });

export const useMe = () => useQuery(meQuery(useApi()));
