import { type InfiniteData, type Query, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';

/** One page of a list endpoint. */
export type PageOfList<Row> = {
  items: Row[];
  pagination: { has_more: boolean; next_cursor: string | null; total_count?: number };
};

type ListQuery<Page> = Query<Page, Error, InfiniteData<Page, string>>;

type Options<Page> = {
  queryKey: QueryKey;
  /** Fetches the page at the cursor; the first page has no cursor. */
  page: (at: { cursor?: string }, signal: AbortSignal) => Promise<Page>;
  refetchInterval?: number | false | ((query: ListQuery<Page>) => number | false);
  retry?: (failures: number, error: Error) => boolean;
  enabled?: boolean;
};

/** The part of a list that a table needs. */
export type List<Row> = Omit<ReturnType<typeof useList<PageOfList<Row>>>, 'first' | 'loadMore' | 'reload'> & {
  loadMore: () => Promise<unknown>;
  reload: () => Promise<unknown>;
};

const maxShortPages = 5;
const isShort = ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) =>
  (state.data?.pages.length ?? 0) <= maxShortPages;

/** A list endpoint, page by page: all rows loaded so far. What arrives is rendered in pieces, so that the page stays responsive. */
export function useList<Page extends PageOfList<unknown>>({ queryKey, page, refetchInterval = false, ...options }: Options<Page>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) =>
      page(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    // A long list is not refetched page by page every time the user returns to it.
    refetchOnMount: isShort,
    refetchOnWindowFocus: isShort,
    refetchOnReconnect: isShort,
    refetchInterval: (loaded: ListQuery<Page>) =>
      isShort(loaded) && (typeof refetchInterval === 'function' ? refetchInterval(loaded) : refetchInterval),
    ...options,
  });
  const { data, error, isPending, isFetching, isFetchingNextPage, isFetchNextPageError, hasNextPage, fetchNextPage, refetch } = query;
  const list = useMemo(() => {
    const first = data?.pages[0];
    return {
      rows: (data?.pages.flatMap(({ items }) => items) ?? []) as Page['items'],
      first,
      total: first?.pagination.total_count,
      error,
      isPending,
      isRefreshing: isFetching && !isPending && !isFetchingNextPage,
      hasMore: hasNextPage,
      isLoadingMore: isFetchingNextPage,
      hasFailedToLoadMore: isFetchNextPageError,
      loadMore: fetchNextPage,
      reload: refetch,
    };
  }, [data, error, isPending, isFetching, isFetchingNextPage, isFetchNextPageError, hasNextPage, fetchNextPage, refetch]);
  return useDeferredValue(list);
}
