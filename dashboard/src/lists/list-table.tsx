// biome-ignore-all lint/a11y/useSemanticElements: rows that are not on the page leave gaps, which a <table> does not lay out.
// biome-ignore-all lint/a11y/useFocusableInteractive: the button in the head of a column has the focus, not the head.
import { Button, Group, Loader } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import classes from './list-table.module.css';
import type { List } from './use-list.ts';

export type Column<Row> = {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Its share of the width, as a grid track. */
  width: string;
  /** Left out where there is room for little. */
  wideOnly?: boolean;
  /** Shown only to who asks for it. */
  isExtra?: boolean;
  /** The field that the API sorts by. */
  sort?: string;
  alignEnd?: boolean;
};

type Props<Row> = {
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
};

/** Until the first row is there to be measured. */
const usualHeight = 53;
/** The next page is asked for this many rows before the end is reached. */
const ahead = 15;

/** A list as a table of which only the rows in sight are on the page, so that 100,000 are as quick as ten. */
export function ListTable<Row>({ label, list, columns, keyOf, sort, onSort }: Props<Row>) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [rowHeight, setRowHeight] = useState(usualHeight);
  const { rows, hasMore, isLoadingMore, hasFailedToLoadMore, error } = list;
  // The same as long as the rows are: with another one every row is reckoned anew, at each step of scrolling.
  const getItemKey = useCallback((index: number) => keyAt(rows, index, keyOf), [rows, keyOf]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what stands above the table changes with what the list holds.
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [rows.length]);

  const hasRows = rows.length > 0;
  // A row that is as high as was thought costs nothing; each other one moves all that follow.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first rows say how high rows of this list are.
  useLayoutEffect(() => setRowHeight(body.current?.querySelector<HTMLElement>('[role="row"]')?.offsetHeight ?? usualHeight), [hasRows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was reckoned with another height is reckoned anew.
  useLayoutEffect(() => virtual.measure(), [rowHeight]);

  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const loadMore = useEffectEvent(() => {
    if (hasMore && !isLoadingMore && !hasFailedToLoadMore && last >= rows.length - ahead) void list.loadMore();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again whenever other rows are in sight or more have come.
  useEffect(() => loadMore(), [last, rows.length]);

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
      <div role="table" aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1} className={classes.table} style={tracks}>
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
                <div
                  role="row"
                  key={key}
                  className={classes.row}
                  aria-rowindex={index + 2}
                  data-index={index}
                  ref={(element) => virtual.measureElement(element)}
                >
                  {columns.map((column) => (
                    <div role="cell" key={column.name} className={classes.cell} data-wide={column.wideOnly} data-end={column.alignEnd}>
                      {column.cell(row)}
                    </div>
                  ))}
                </div>
              )
            );
          })}
        </div>
      </div>
      {hasFailedToLoadMore && error && <ErrorAlert error={error} title="More could not be loaded" onRetry={() => void list.loadMore()} />}
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

const keyAt = <Row,>(rows: readonly Row[], index: number, keyOf: (row: Row) => string) => {
  const row = rows[index];
  return row === undefined ? index : keyOf(row);
};

type HeadProps<Row> = { column: Column<Row>; sort: string | undefined; onSort: ((sort: string) => void) | undefined };

function ColumnHead<Row>({ column: { name, sort: field, wideOnly, alignEnd }, sort, onSort }: HeadProps<Row>) {
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
        </button>
      ) : (
        name
      )}
    </div>
  );
}
