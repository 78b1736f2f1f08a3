import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, useApi } from '../api/api.ts';
import {
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

const queryKey = ['session'];

export const sessionQuery = queryOptions({
  queryKey,
  queryFn: fetchSession,
  // Another tab or another machine may have ended it: looked at again whenever somebody comes back to the page.
  staleTime: 5_000,
  refetchOnWindowFocus: 'always',
});

export const currentSession = (queries: QueryClient) => queries.getQueryData<Session | null>(queryKey) ?? undefined;

/** Nobody is signed in any more: what was loaded for them goes too. */
export function endSession(queries: QueryClient) {
  queries.setQueryData<Session | null>(queryKey, null);
  queries.removeQueries({ predicate: (query) => query.queryKey[0] !== queryKey[0] });
}

const tabs = new BroadcastChannel('mp-session');

/** Tells this tab when another one signs in or out. */
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
    },
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      endSession(queries);
      tabs.postMessage('changed');
    },
  });
}

export const useRequestLink = () => useMutation({ mutationFn: requestLink });

export function useSetPassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewPassword) => setPassword(signedInNow(queries), wanted),
    gcTime: 0,
    onSuccess: async (session) => {
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

/** Who is signed in, as the API sees them. */
const meKey = ['me'];

/** The account has another name; what asks who is signed in hears of it only in a moment. */
export const renameMyAccount = (queries: QueryClient, name: string) =>
  queries.setQueryData<ReturnType<typeof useMe>['data']>(meKey, (me) => me && { ...me, account: { ...me.account, name } });

export function useMe() {
  const api = useApi();
  return useQuery({ queryKey: meKey, queryFn: ({ signal }) => answerOf(api.GET('/v2/me', { signal })), staleTime: 60_000 });
}
