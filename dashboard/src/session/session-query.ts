import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Api, responseData, useApi } from '../api/api.ts';
import { showTimesIn } from '../time/zone.ts';
import {
  confirmEmail,
  endSessions,
  fetchSession,
  fetchSessions,
  type NewPassword,
  requestLink,
  type Session,
  setPassword,
  signIn,
  signOut,
} from './session.ts';
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

export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: signIn,
    gcTime: 0,
    onSuccess: (session) => {
      endSession(queries);
      removeDrafts({ except: session });
      queries.setQueryData<Session | null>(queryKey, session);
      tabs.postMessage('changed');
    },
  });
}

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

export const useRequestLink = () => useMutation({ mutationFn: requestLink });

export function useSetPassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewPassword) => setPassword(signedInNow(queries), wanted),
    gcTime: 0,
    onSuccess: async ({ session }) => {
      queries.setQueryData<Session | null>(queryKey, session);
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
  });
}

const sessionsKey = ['sessions'];

export const useSessions = () => useQuery({ queryKey: sessionsKey, queryFn: fetchSessions });

export function useEndSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (which: { id: string } | { others: true }) => endSessions(signedInNow(queries), which),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
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
