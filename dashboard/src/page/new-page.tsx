import type { ReactNode } from 'react';
import { ButtonLink } from './button-link.tsx';
import { BackLink, Page } from './page.tsx';

type Props = {
  title: string;
  describes?: string;
  /** The list that the new item will be in, and its name. */
  list: '/contacts' | '/contacts/forms' | '/segments' | '/campaigns' | '/campaigns/templates' | '/workflows';
  of: string;
  /** The form, with the button that leaves it. */
  children: (cancel: ReactNode) => ReactNode;
};

/** A page with the form of a new item. Back and Cancel lead to the list. */
export const NewPage = ({ title, describes, list, of, children }: Props) => (
  <Page title={title} describes={describes} back={<BackLink to={list}>{of}</BackLink>}>
    {children(
      <ButtonLink to={list} variant="default">
        Cancel
      </ButtonLink>,
    )}
  </Page>
);
