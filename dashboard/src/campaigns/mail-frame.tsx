import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { counted } from '../figures/figures.ts';
import { dress, mailDocument } from './mail-document.ts';
import classes from './mail-frame.module.css';

/**
 * The HTML of a mail in a frame where nothing runs (no `allow-scripts`), nothing is loaded and nothing leads away. The frame
 * is of our origin only so that its styles can be set from here.
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
          {counted(mail.leftOut, 'image or file', 'images or files')} from elsewhere {mail.leftOut === 1 ? 'is' : 'are'} not loaded here.
        </Text>
      )}
    </>
  );
}
