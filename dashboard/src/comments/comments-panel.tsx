import { SegmentedControl, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../page/panel.tsx';
import { useMe } from '../session/session-query.ts';
import { CommentForm } from './comment-form.tsx';
import { CommentItem } from './comment-item.tsx';
import { type Resource, useComments, useCreateComment, useUsersToMention } from './comments.ts';
import classes from './comments-panel.module.css';

const anchor = 'comments';

/** The comments on a resource, which everybody who sees its page can write. */
export function CommentsPanel(about: Resource) {
  const { rows, error, isPending, reload } = useComments(about);
  const users = useUsersToMention(about.resource_type);
  const me = useMe().data?.id;
  const create = useCreateComment(about);
  const [showsResolved, setShowsResolved] = useState(false);
  const open = rows.filter(({ resolved_at }) => resolved_at === null);
  const resolved = rows.filter(({ resolved_at }) => resolved_at !== null);
  const shown = showsResolved ? resolved : open;

  // The page was not loaded yet when the router looked for it.
  const isLinked = useLocation({ select: ({ hash }) => hash }) === anchor;
  useEffect(() => {
    if (isLinked && !isPending) document.getElementById(anchor)?.scrollIntoView();
  }, [isLinked, isPending]);

  return (
    <Panel
      title="Comments"
      anchor={anchor}
      action={
        resolved.length > 0 && (
          <SegmentedControl
            size="xs"
            aria-label="Which comments"
            data={[
              { value: 'open', label: `Open (${open.length})` },
              { value: 'resolved', label: `Resolved (${resolved.length})` },
            ]}
            value={showsResolved ? 'resolved' : 'open'}
            onChange={(value) => setShowsResolved(value === 'resolved')}
          />
        )
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the comments" onRetry={() => void reload()} />}
      {shown.map((comment) => (
        <CommentItem key={comment.id} comment={comment} users={users} me={me} />
      ))}
      {!isPending && !error && shown.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {showsResolved || rows.length > 0 ? `No ${showsResolved ? 'resolved' : 'open'} comments.` : 'No comments yet.'}
        </Text>
      )}
      {!showsResolved && (
        <div className={classes.form}>
          <CommentForm label="Add a comment" submit="Comment" users={users} me={me} saving={create} />
        </div>
      )}
    </Panel>
  );
}
