import { Anchor } from '@mantine/core';
import { IconExternalLink, IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import classes from './mailbox-link.module.css';

/** Links to the local mailbox of a development machine; renders nothing where there is none. */
export function MailboxLink() {
  const { data: isThere } = useQuery({
    queryKey: ['mailbox'],
    queryFn: async ({ signal }) => {
      const { ok, body } = await fetch('/t/mailbox', { signal });
      // An unread body would keep its connection open.
      await body?.cancel();
      return ok;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!isThere) return null;
  return (
    <Anchor href="/t/mailbox" target="_blank" rel="noreferrer" size="sm" className={classes.mailbox}>
      <IconInbox size={16} aria-hidden /> Local mailbox <IconExternalLink size={14} aria-label="opens in a new tab" />
    </Anchor>
  );
}
