import { ActionIcon, Button, Group, Indicator, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconBell } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Mention, type ResourceType, useMarkRead, useUnreadMentions } from './comments.ts';
import classes from './mentions-menu.module.css';

const pages = {
  campaign: '/campaigns/$id',
  template: '/campaigns/templates/$id',
  segment: '/segments/$id',
  workflow: '/workflows/$id',
} as const satisfies Record<ResourceType, string>;

/** The unread comments that mention the user, behind a bell with their number. */
export function MentionsMenu() {
  const [opened, { close, toggle }] = useDisclosure(false);
  const { data } = useUnreadMentions();
  const read = useMarkRead();
  const mentions = data?.items ?? [];
  const number = `${mentions.length}${data?.pagination.has_more ? '+' : ''}`;
  const visit = ({ comment_id }: Mention) => {
    read.mutate(comment_id);
    close();
  };
  return (
    <Popover
      opened={opened}
      onChange={(wanted) => !wanted && close()}
      width={320}
      position="bottom-start"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Indicator label={number} disabled={mentions.length === 0} size={16} color="red" offset={5}>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={mentions.length === 0 ? 'Mentions' : `Mentions: ${number} unread`}
            onClick={toggle}
          >
            <IconBell size={18} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label="Mentions">
        <Stack gap="xs">
          <Group justify="space-between">
            <Text size="sm" fw={600}>
              Mentions
            </Text>
            {mentions.length > 0 && (
              <Button
                size="compact-xs"
                variant="default"
                loading={read.isPending}
                onClick={() =>
                  read.mutate(undefined, {
                    onError: ({ message }) => notifications.show({ color: 'red', title: "Couldn't mark them as read", message }),
                  })
                }
              >
                Mark all as read
              </Button>
            )}
          </Group>
          {mentions.length === 0 && (
            <Text size="sm" c="dimmed">
              No unread mentions.
            </Text>
          )}
          <ul className={classes.mentions}>
            {mentions.map((mention) => (
              <li key={mention.comment_id}>
                <Link
                  to={pages[mention.resource_type]}
                  params={{ id: mention.resource_id }}
                  hash="comments"
                  className={classes.mention}
                  onClick={() => visit(mention)}
                >
                  <span>
                    <strong>{mention.author_name}</strong> in the {mention.resource_type} {mention.resource_name}
                  </span>
                  <span className={classes.text}>{mention.text}</span>
                  <Text span size="xs" c="dimmed">
                    <RelativeTime at={mention.created_at} />
                  </Text>
                </Link>
              </li>
            ))}
          </ul>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
