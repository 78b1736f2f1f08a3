import { VisuallyHidden } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import { Loaded } from '../api/loaded.tsx';
import classes from './editor.module.css';

type Props = { title: string; header: ReactNode; isFilling?: boolean; children: ReactNode };

/** A page that fills the window: the navigation is hidden while it is shown (shell.module.css). */
export const EditorFrame = ({ title, header, isFilling = false, children }: Props) => (
  <div className={classes.editor} data-editor data-filling={isFilling || undefined}>
    <title>{`${title} · Marketing Platform`}</title>
    <header className={classes.header}>
      <VisuallyHidden component="h1">{title}</VisuallyHidden>
      {header}
    </header>
    <div className={classes.body}>{children}</div>
  </div>
);

/** The way out of an editor. */
export const EditorBack = createLink((anchor: Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'children' | 'className'>) => (
  <a {...anchor} title="Back" className={classes.back}>
    <IconArrowLeft size={18} aria-label="Back" />
  </a>
));

type LoadedProps<Data> = Pick<Parameters<typeof Loaded<Data>>[0], 'of' | 'query'> & {
  title: string;
  back: ReactNode;
  children: (data: Data) => ReactNode;
};

/** An editor in every state of what it edits: loading, failed, or loaded. */
export const LoadedEditor = <Data,>({ of, query, title, back, children }: LoadedProps<Data>) =>
  query.data === undefined ? (
    <EditorFrame title={title} header={back}>
      <Loaded of={of} shape="form" query={query}>
        {() => null}
      </Loaded>
    </EditorFrame>
  ) : (
    children(query.data)
  );
