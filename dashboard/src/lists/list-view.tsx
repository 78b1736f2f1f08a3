import { Stack } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { type Column, ListTable } from './list-table.tsx';
import type { List } from './use-list.ts';

type Props<Row> = {
  /** The rows' plural noun in lower case, such as "contacts". */
  of: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  empty: ReactNode;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  actions?: ((row: Row) => ReactNode) | undefined;
};

/** A list in every state: loading, failed, empty, or with rows. */
export function ListView<Row>({ of, list, empty, ...table }: Props<Row>) {
  const { rows, error, isPending, hasMore, isLoadingMore, hasFailedToLoadMore, loadMore } = list;
  const isEmpty = rows.length === 0;
  // A page of a search can be empty before the last one.
  const isSearching = isEmpty && hasMore && !hasFailedToLoadMore;
  useEffect(() => {
    if (isSearching && !isLoadingMore) void loadMore();
  }, [isSearching, isLoadingMore, loadMore]);
  return (
    <Stack gap="md">
      {error && (isEmpty || !hasFailedToLoadMore) && (
        <ErrorAlert error={error} title={`Couldn't load the ${of}`} onRetry={() => void list.reload()} />
      )}
      {(isPending || isSearching) && <Outline of={`the ${of}`} shape="rows" count={6} />}
      {!isPending && !isSearching && !error && isEmpty && empty}
      {!isEmpty && <ListTable label={`${of.slice(0, 1).toUpperCase()}${of.slice(1)}`} list={list} {...table} />}
    </Stack>
  );
}
