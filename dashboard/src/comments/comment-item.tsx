import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { CommentForm } from './comment-form.tsx';
import { type Comment, useDeleteComment, useResolveComment, useUpdateComment } from './comments.ts';
import classes from './comments-panel.module.css';
import { type NamedUser, partsOf } from './mention-text.ts';

type Props = { comment: Comment; users: readonly NamedUser[]; me: string | undefined };

export function CommentItem({ comment, users, me }: Props) {
  const { id, author_id, author_name, text, mentions, created_at, edited_at, resolved_at } = comment;
  const [isEditing, setEditing] = useState(false);
  const { may } = usePermission();
  const update = useUpdateComment(id);
  const remove = useDeleteComment(id);
  const resolve = useResolveComment(comment);
  const isOwn = author_id === me;
  const by = `the comment by ${author_name}`;
  return (
    <article className={classes.comment} aria-label={`Comment by ${author_name}`}>
      <Text size="sm">
        <strong>{author_name}</strong>{' '}
        <Text span size="xs" c="dimmed">
          <RelativeTime at={created_at} />
          {edited_at && ' · edited'}
          {resolved_at && ' · resolved'}
        </Text>
      </Text>
      {isEditing ? (
        <CommentForm
          label="Edit the comment"
          submit="Save"
          users={users}
          me={me}
          before={{ text, mentions }}
          saving={update}
          onDone={() => setEditing(false)}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <p className={classes.text}>
          {partsOf(
            text,
            users.filter((user) => mentions.includes(user.id)),
          ).map((part) => (part.user ? <strong key={part.at}>{part.text}</strong> : part.text))}
        </p>
      )}
      {!isEditing && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={`${resolved_at === null ? 'Resolve' : 'Reopen'} ${by}`}
            loading={resolve.isPending}
            onClick={() =>
              resolve.mutate(undefined, {
                onError: ({ message }) => notifications.show({ color: 'red', title: "Couldn't change the comment", message }),
              })
            }
          >
            {resolved_at === null ? 'Resolve' : 'Reopen'}
          </Button>
          {isOwn && (
            <Button size="xs" variant="default" aria-label={`Edit ${by}`} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )}
          {(isOwn || may('settings:write')) && (
            <ConfirmButton
              label="Delete"
              description={`Delete ${by}`}
              title="Delete this comment?"
              confirm="Delete comment"
              failed="Couldn't delete the comment"
              mutation={remove}
              onConfirm={(options) => remove.mutate(undefined, options)}
              done="The comment was deleted"
            >
              <Text size="sm">It is deleted for everybody.</Text>
            </ConfirmButton>
          )}
        </Group>
      )}
    </article>
  );
}
