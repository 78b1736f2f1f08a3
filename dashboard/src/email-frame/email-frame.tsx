import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { counted } from '../numbers/format-number.ts';
import { type Annotate, dress, mailDocument } from './email-document.ts';
import classes from './email-frame.module.css';

type Props = {
  html: string;
  title: string;
  /** As wide as a phone. */
  isNarrow?: boolean;
  /** As a mail client in dark mode shows it. */
  isDark?: boolean;
  /** Notes beside the links; must stay the same function while the notes are the same. */
  annotate?: Annotate;
};

/**
 * Shows the HTML of an email in a sandboxed frame: no scripts (no `allow-scripts`), no requests, no navigation. The frame has
 * our origin only so that this page can set its styles.
 */
export function MailFrame({ html, title, isNarrow = false, isDark = false, annotate }: Props) {
  const mail = useMemo(() => mailDocument(html, annotate), [html, annotate]);
  return (
    <>
      <iframe
        title={title}
        sandbox="allow-same-origin"
        // Styles are applied when a document has loaded.
        key={String(isDark)}
        srcDoc={mail.html}
        onLoad={(event) => dress(event.currentTarget, mail, isDark)}
        className={classes.frame}
        {...(isNarrow && { 'data-narrow': '' })}
      />
      {mail.leftOut > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {counted(mail.leftOut, 'external image or file', 'external images or files')} not loaded in this preview.
        </Text>
      )}
    </>
  );
}
