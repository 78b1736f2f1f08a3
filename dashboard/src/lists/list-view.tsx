import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
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
};

/** A list in every state: loading, failed, empty, or with rows. */
export function ListView<Row>({ of, list, empty, ...table }: Props<Row>) {
  const { rows, error, isPending, hasFailedToLoadMore } = list;
  return (
    <Stack gap="md">
      {error && !hasFailedToLoadMore && <ErrorAlert error={error} title={`Couldn't load the ${of}`} onRetry={() => void list.reload()} />}
      {isPending && <Loading of={of} />}
      {!isPending && !error && rows.length === 0 && empty}
      {rows.length > 0 && <ListTable label={`${of.slice(0, 1).toUpperCase()}${of.slice(1)}`} list={list} {...table} />}
    </Stack>
  );
}

const Loading = ({ of }: { of: string }) => (
  <Stack gap="xs" role="status" aria-label={`Loading the ${of}`}>
    <Skeleton height={38} />
    <Skeleton height={52} />
    <Skeleton height={52} />
    <Skeleton height={52} />
  </Stack>
);
