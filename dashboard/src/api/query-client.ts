import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { Connection } from '../connection/connection.ts';
import { ConnectionLost, isPassing } from './errors.ts';

/** The query client of all pages. Transient errors are retried; requests that the API rejected are not. */
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
        // The platform may run on this machine, so it can be reachable while the browser is offline.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
