import { type InfiniteData, type Query, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

/** One page of any list of the API. */
export type ListPage<Row> = {
  items: Row[];
  pagination: { has_more: boolean; next_cursor: string | null; total_count?: number };
};

type ListQuery<Page> = Query<Page, Error, InfiniteData<Page, string>>;

type Options<Page> = {
  queryKey: QueryKey;
  /** Asks for the page at the cursor; the first page has none. */
  page: (at: { cursor?: string }, signal: AbortSignal) => Promise<Page>;
  refetchInterval?: number | false | ((query: ListQuery<Page>) => number | false);
  enabled?: boolean;
};

/** What a table needs of a list; the list knows more. */
export type List<Row> = Omit<ReturnType<typeof useList<ListPage<Row>>>, 'first' | 'loadMore' | 'reload'> & {
  loadMore: () => Promise<unknown>;
  reload: () => Promise<unknown>;
};

const shortMax = 5;
const isShort = ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) => (state.data?.pages.length ?? 0) <= shortMax;

/** A list of the API by its cursors: as many rows as were asked for so far. */
export function useList<Page extends ListPage<unknown>>({ queryKey, page, refetchInterval = false, ...options }: Options<Page>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) =>
      page(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    // What somebody has scrolled far into is not asked again page by page, each time they come back to it.
    refetchOnMount: isShort,
    refetchOnWindowFocus: isShort,
    refetchOnReconnect: isShort,
    refetchInterval: (asked: ListQuery<Page>) =>
      isShort(asked) && (typeof refetchInterval === 'function' ? refetchInterval(asked) : refetchInterval),
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
