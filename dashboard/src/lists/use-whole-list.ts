import { useEffect } from 'react';
import type { List } from './use-list.ts';

/** Loads all pages of a list, one after another, for pickers. */
export function useWholeList<Row>(list: List<Row>): List<Row> {
  const { hasMore, isLoadingMore, hasFailedToLoadMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && !isLoadingMore && !hasFailedToLoadMore) void loadMore();
  }, [hasMore, isLoadingMore, hasFailedToLoadMore, loadMore]);
  return list;
}
