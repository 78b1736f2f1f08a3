import { type InfiniteData, type Query, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';

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

/** A list endpoint, page by page: all rows loaded so far. */
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
  // What arrives first is rendered in pieces, so that the page stays responsive. Further pages are shown at once.
  const isShown = useDeferredValue(!query.isPending);
  const pages = isShown ? query.data?.pages : undefined;
  const first = pages?.[0];
  return {
    rows: (pages?.flatMap(({ items }) => items) ?? []) as Page['items'],
    first,
    total: first?.pagination.total_count,
    error: query.error,
    isPending: query.isPending || !isShown,
    isRefreshing: query.isFetching && !query.isPending && !query.isFetchingNextPage,
    hasMore: isShown && query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    hasFailedToLoadMore: query.isFetchNextPageError,
    loadMore: query.fetchNextPage,
    reload: query.refetch,
  };
}
