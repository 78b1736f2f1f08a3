import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { responseData, useApi } from '../api/api.ts';
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

/** The signed-in user, from the API. */
const meKey = ['me'];

/** Updates the account's name in the cache; the server's response for `/v2/me` changes a moment later. */
export const renameMyAccount = (queries: QueryClient, name: string) =>
  queries.setQueryData<ReturnType<typeof useMe>['data']>(meKey, (me) => me && { ...me, account: { ...me.account, name } });

export function useMe() {
  const api = useApi();
  return useQuery({ queryKey: meKey, queryFn: ({ signal }) => responseData(api.GET('/v2/me', { signal })), staleTime: 60_000 });
}
