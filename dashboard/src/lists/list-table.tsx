// biome-ignore-all lint/a11y/useSemanticElements: rows that are not rendered leave gaps, which a <table> cannot lay out.
// biome-ignore-all lint/a11y/useFocusableInteractive: the button in a column header takes the focus, not the header.
import { Button, Group, Loader } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import classes from './list-table.module.css';
import { RowActions } from './row-actions.tsx';
import type { List } from './use-list.ts';

export type Column<Row> = {
  name: string;
  /** What the header shows instead of the name. */
  head?: ReactNode;
  cell: (row: Row) => ReactNode;
  /** The width, as a CSS grid track. */
  width: string;
  /** Hidden on narrow screens. */
  wideOnly?: boolean;
  /** Hidden until the user chooses it. */
  isExtra?: boolean;
  /** The API's sort field; without it the column cannot be sorted. */
  sort?: string;
  alignEnd?: boolean;
  /** The sum of all rows, in a row below them. */
  total?: ReactNode;
};

type Props<Row> = {
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** The `<RowAction>`s of a row. */
  actions?: ((row: Row) => ReactNode) | undefined;
};

/** The assumed row height in pixels until the first row is measured. */
const usualHeight = 41;
/** The next page is loaded this many rows before the end. */
const ahead = 15;

/** A virtualized table: only the rows in view are rendered, so that 100,000 rows scroll as fast as ten. */
export function ListTable<Row>({ label, list, columns, keyOf, sort, onSort, actions }: Props<Row>) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [rowHeight, setRowHeight] = useState(usualHeight);
  const { rows, hasMore, isLoadingMore, hasFailedToLoadMore, error } = list;
  // Stable while the rows are the same: a new function would recompute every row on each scroll event.
  const getItemKey = useCallback((index: number) => keyAt(rows, index, keyOf), [rows, keyOf]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of the content above the table changes with the rows.
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [rows.length]);

  const hasRows = rows.length > 0;
  // A row that is not of the estimated height moves all rows below it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first rows determine the row height of this list.
  useLayoutEffect(() => setRowHeight(body.current?.querySelector<HTMLElement>('[role="row"]')?.offsetHeight ?? usualHeight), [hasRows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new row height invalidates all measurements.
  useLayoutEffect(() => virtual.measure(), [rowHeight]);

  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const loadMore = useEffectEvent(() => {
    if (hasMore && !isLoadingMore && !hasFailedToLoadMore && last >= rows.length - ahead) void list.loadMore();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again whenever other rows are in view or more rows are loaded.
  useEffect(() => loadMore(), [last, rows.length]);

  const hasTotal = !hasMore && columns.some(({ total }) => total !== undefined);
  const before = (shown[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top);
  const tracks = {
    '--columns': columns.map(({ width }) => width).join(' '),
    '--columns-narrow': columns
      .filter(({ wideOnly }) => !wideOnly)
      .map(({ width }) => width)
      .join(' '),
  } as CSSProperties;

  return (
    <>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + (hasTotal ? 2 : 1)}
        className={classes.table}
        style={tracks}
      >
        <div role="rowgroup" className={classes.head}>
          <div role="row" className={classes.row} aria-rowindex={1}>
            {columns.map((column) => (
              <ColumnHead key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={body} style={{ paddingTop: before, paddingBottom: Math.max(0, after) }}>
          {shown.map(({ index, key }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <ListRow key={key} row={row} index={index} columns={columns} actions={actions} measure={virtual.measureElement} />
              )
            );
          })}
        </div>
        {hasTotal && (
          <div role="rowgroup" className={classes.total}>
            <div role="row" className={classes.row} aria-rowindex={rows.length + 2}>
              {columns.map(({ name, wideOnly, alignEnd, total }) => (
                <div role="cell" key={name} className={classes.cell} data-wide={wideOnly} data-end={alignEnd}>
                  {total}
                </div>
              ))}
            </div>
          </div>
        )}
      </div>
      {hasFailedToLoadMore && error && <ErrorAlert error={error} title="Couldn't load more" onRetry={() => void list.loadMore()} />}
      {hasMore && !hasFailedToLoadMore && (
        <Group justify="center" mih={36}>
          {isLoadingMore ? (
            <Loader size="sm" role="img" aria-label="Loading more" />
          ) : (
            <Button variant="default" onClick={() => void list.loadMore()}>
              Load more
            </Button>
          )}
        </Group>
      )}
    </>
  );
}

type RowProps<Row> = Pick<Props<Row>, 'columns' | 'actions'> & {
  row: Row;
  index: number;
  measure: (element: HTMLElement | null) => void;
};

/** One row, which is rendered once while it is in view, however far the list scrolls. */
function ListRow<Row>({ row, index, columns, actions, measure }: RowProps<Row>) {
  return useMemo(
    () => (
      <div role="row" className={classes.row} aria-rowindex={index + 2} data-index={index} ref={measure}>
        {columns.map((column) => (
          <div role="cell" key={column.name} className={classes.cell} data-wide={column.wideOnly} data-end={column.alignEnd}>
            {column.cell(row)}
            {column === columns.at(-1) && <RowActions>{actions?.(row)}</RowActions>}
          </div>
        ))}
      </div>
    ),
    [row, index, columns, actions, measure],
  );
}

const keyAt = <Row,>(rows: readonly Row[], index: number, keyOf: (row: Row) => string) => {
  const row = rows[index];
  return row === undefined ? index : keyOf(row);
};

type HeadProps<Row> = { column: Column<Row>; sort: string | undefined; onSort: ((sort: string) => void) | undefined };

function ColumnHead<Row>({ column: { name, head = name, sort: field, wideOnly, alignEnd }, sort, onSort }: HeadProps<Row>) {
  const isDown = sort === `-${field}`;
  const isUp = sort === field;
  const order = isDown ? 'descending' : isUp ? 'ascending' : 'none';
  return (
    <div
      role="columnheader"
      className={classes.cell}
      data-wide={wideOnly}
      data-end={alignEnd}
      {...(field !== undefined && { 'aria-sort': order })}
    >
      {field !== undefined && onSort ? (
        <button type="button" className={classes.sort} onClick={() => onSort(isDown ? field : `-${field}`)}>
          {name}
          {isDown && <IconArrowDown size={14} aria-hidden />}
          {isUp && <IconArrowUp size={14} aria-hidden />}
          {!isDown && !isUp && <IconArrowDown size={14} aria-hidden data-faint />}
        </button>
      ) : (
        head
      )}
    </div>
  );
}
