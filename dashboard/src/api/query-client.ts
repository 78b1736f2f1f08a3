import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { Connection } from '../connection/connection.ts';
import { ConnectionLost, isPassing } from './request-failed.ts';

/** What every page asks with: errors that pass by themselves are retried, what the API refused is not. */
export function createQueryClient(connection: Connection) {
  const notice = {
    onSuccess: () => connection.reached(),
    onError: (error: Error) => {
      if (error instanceof ConnectionLost) connection.unreachable();
    },
  };
  return new QueryClient({
    queryCache: new QueryCache(notice),
    mutationCache: new MutationCache(notice),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 3 && isPassing(error),
        // The platform may well run on this machine: being offline does not mean that it is away.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
