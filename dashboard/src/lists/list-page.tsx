import { Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Page } from '../page/page.tsx';
import { Toolbar } from './chips.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { ListView } from './list-view.tsx';
import { useColumns } from './use-columns.ts';

type Props<Row> = Omit<ComponentProps<typeof Page>, 'children'> &
  Omit<ComponentProps<typeof ListView<Row>>, 'keyOf'> & {
    /** What is above the list and its filters. */
    above?: ReactNode;
    /** The search and the filters. */
    filters?: ReactNode;
    /** What stands beside the choice of columns, such as saved views. */
    views?: ReactNode;
    /** The dialogs that the page opens. */
    children?: ReactNode;
  };

/** So few columns are always shown. */
const fewColumns = 3;

/** A page that is one list. The columns that are shown are kept in this browser. */
export function ListPage<Row extends { id: string }>(props: Props<Row>) {
  const { title, describes, back, action, above, filters, views, children, ...list } = props;
  const { columns, choices, shown, setShown } = useColumns(list.of, list.columns);
  const hasChoice = list.list.rows.length > 0 && list.columns.length > fewColumns;
  return (
    <Page title={title} describes={describes} back={back} action={action}>
      <Stack gap="md">
        {above}
        {(filters || hasChoice) && (
          <Toolbar
            end={
              <>
                {views}
                {hasChoice && <ColumnMenu choices={choices} shown={shown} onShow={setShown} />}
              </>
            }
          >
            {filters}
          </Toolbar>
        )}
        <ListView {...list} columns={columns} keyOf={({ id }) => id} />
      </Stack>
      {children}
    </Page>
  );
}
