import { Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Page } from '../page/page.tsx';
import { ListView } from './list-view.tsx';

type Props<Row> = Omit<ComponentProps<typeof Page>, 'children'> &
  Omit<ComponentProps<typeof ListView<Row>>, 'keyOf'> & {
    /** What is above the list, such as its search and filters. */
    above?: ReactNode;
    /** The dialogs that the page opens. */
    children?: ReactNode;
  };

/** A page that is one list. */
export const ListPage = <Row extends { id: string }>({ title, describes, back, action, above, children, ...list }: Props<Row>) => (
  <Page title={title} describes={describes} back={back} action={action}>
    <Stack gap="lg">
      {above}
      <ListView {...list} keyOf={({ id }) => id} />
    </Stack>
    {children}
  </Page>
);
