import { useEffect } from 'react';
import type { List } from './use-list.ts';

/** Loads every page of a list, one after the other, as a picker needs it. */
export function useWholeList<Row>(list: List<Row>): List<Row> {
  const { hasMore, isLoadingMore, hasFailedToLoadMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && !isLoadingMore && !hasFailedToLoadMore) void loadMore();
  }, [hasMore, isLoadingMore, hasFailedToLoadMore, loadMore]);
  return list;
}
