import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

/** One page of any list of the API. */
export type ListPage<Row> = {
  items: Row[];
  pagination: { has_more: boolean; next_cursor: string | null; total_count?: number };
};

type Options<Page> = {
  queryKey: QueryKey;
  /** Asks for the page at the cursor; the first page has none. */
  page: (at: { cursor?: string }, signal: AbortSignal) => Promise<Page>;
  refetchInterval?: number | false;
  enabled?: boolean;
};

/** What a table needs of a list; the list knows more. */
export type List<Row> = Omit<ReturnType<typeof useList<ListPage<Row>>>, 'first' | 'loadMore' | 'reload'> & {
  loadMore: () => Promise<unknown>;
  reload: () => Promise<unknown>;
};

/** A list of the API by its cursors: as many rows as were asked for so far. */
export function useList<Page extends ListPage<unknown>>({ queryKey, page, ...options }: Options<Page>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => page(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    ...options,
  });
  const first = query.data?.pages[0];
  return {
    rows: (query.data?.pages.flatMap(({ items }) => items) ?? []) as Page['items'],
    first,
    total: first?.pagination.total_count,
    error: query.error,
    isPending: query.isPending,
    isRefreshing: query.isFetching && !query.isPending && !query.isFetchingNextPage,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    hasFailedToLoadMore: query.isFetchNextPageError,
    loadMore: query.fetchNextPage,
    reload: query.refetch,
  };
}
