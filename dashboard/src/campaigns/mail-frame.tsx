import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { counted } from '../numbers/format-number.ts';
import { dress, mailDocument } from './mail-document.ts';
import classes from './mail-frame.module.css';

/**
 * Shows the HTML of an email in a sandboxed frame: no scripts (no `allow-scripts`), no requests, no navigation. The frame has
 * our origin only so that this page can set its styles.
 */
export function MailFrame({ html, title }: { html: string; title: string }) {
  const mail = useMemo(() => mailDocument(html), [html]);
  return (
    <>
      <iframe
        title={title}
        sandbox="allow-same-origin"
        srcDoc={mail.html}
        onLoad={(event) => dress(event.currentTarget, mail)}
        className={classes.frame}
      />
      {mail.leftOut > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {counted(mail.leftOut, 'external image or file', 'external images or files')} not loaded in this preview.
        </Text>
      )}
    </>
  );
}
