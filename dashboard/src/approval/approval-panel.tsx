import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { CampaignApproval } from '@marketing-platform/sdk';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { useAllUsers } from '../names/all-names.ts';
import { Panel } from '../page/panel.tsx';
import { useMe } from '../session/session-query.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './approval-panel.module.css';

/** What the approvals of campaigns and workflows have in common. */
export type Approval = Pick<
  CampaignApproval,
  'status' | 'revision' | 'requested_by' | 'created_at' | 'decided_by' | 'decided_at' | 'comment' | 'can_decide' | 'changes'
>;
export type Decision = { verb: 'approve' | 'reject'; revision: number; comment: string };
type Deciding = {
  mutate: (decision: Decision, options?: { onSuccess: () => void }) => void;
  isPending: boolean;
  error: Error | null;
  variables: Decision | undefined;
  reset: () => void;
};

type Props = {
  noun: 'campaign' | 'workflow';
  approval: Approval;
  deciding: Deciding;
  /** What approving it does. */
  effect: string;
  children?: ReactNode;
};

/** Who asked, what has changed, and the buttons of those who can decide. */
export function ApprovalPanel({ noun, approval, deciding, effect, children }: Props) {
  const { requested_by, created_at, can_decide, changes } = approval;
  const who = useWho();
  const isOwn = useMe().data?.id === requested_by;
  return (
    <Panel title="Awaiting approval">
      <Stack gap="md">
        <Text size="sm">
          {who(requested_by)} requested approval {created_at && <RelativeTime at={created_at} />}. {effect}
        </Text>
        {children}
        <Changes changes={changes} />
        {can_decide ? (
          <Decide noun={noun} revision={approval.revision} deciding={deciding} />
        ) : (
          <Text size="sm" c="dimmed">
            {isOwn ? `Another user must approve your ${noun}.` : `You can't approve this ${noun}: another user must decide.`}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

/** Why the last request was rejected, for those who correct it. */
export function RejectedAlert({ approval, noun }: Pick<Props, 'approval' | 'noun'>) {
  const who = useWho();
  if (approval.status !== 'rejected') return null;
  return (
    <Alert color="yellow" title={`This ${noun} was rejected`}>
      {who(approval.decided_by)}: {approval.comment}
    </Alert>
  );
}

/** The name of a user, if the signed-in user may read it. */
function useWho() {
  const me = useMe().data?.id;
  const { rows } = useAllUsers();
  return (id: string | null) => {
    if (id === null) return 'Another user';
    if (id === me) return 'You';
    const kind = id.startsWith('key_') ? 'An API key' : id.startsWith('client_') ? 'An OAuth client' : 'Another user';
    return rows.find((user) => user.id === id)?.name ?? kind;
  };
}

function Changes({ changes }: Pick<Approval, 'changes'>) {
  if (changes === null) return <Text size="sm">No earlier version was approved.</Text>;
  if (changes.length === 0) return <Text size="sm">Nothing has changed since the last approval.</Text>;
  return (
    <section aria-label="Changes since the last approval">
      <Text size="sm" fw={600}>
        Changes since the last approval
      </Text>
      <dl className={classes.changes}>
        {changes.map(({ field, before, after }) => (
          <div key={field}>
            <dt>{fieldLabel(field)}</dt>
            <dd>
              <del>{before ?? 'not set'}</del>
              <ins>{after ?? 'not set'}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const fieldLabel = (field: string) => (field.slice(0, 1).toUpperCase() + field.slice(1)).replaceAll('_', ' ');

function Decide({ noun, revision, deciding }: { noun: string; revision: number; deciding: Deciding }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [comment, setComment] = useState('');
  const { mutate, isPending, error, variables, reset } = deciding;
  const leave = () => {
    if (isPending) return;
    reset();
    close();
  };
  return (
    <>
      {error && variables?.verb === 'approve' && <ErrorAlert error={error} title={`Couldn't approve the ${noun}`} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" disabled={isPending} onClick={open}>
          Reject…
        </Button>
        <Button loading={isPending && variables?.verb === 'approve'} onClick={() => mutate({ verb: 'approve', revision, comment: '' })}>
          Approve
        </Button>
      </Group>
      <Modal opened={opened} onClose={leave} title={`Reject this ${noun}?`} closeButtonProps={{ 'aria-label': 'Close' }}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ verb: 'reject', revision, comment: comment.trim() }, { onSuccess: close });
          }}
        >
          <Stack gap="md">
            <Textarea
              label="Comment"
              description="What has to change. The requester reads it."
              required
              autosize
              minRows={3}
              maxLength={2_000}
              value={comment}
              onChange={(event) => setComment(event.currentTarget.value)}
              data-autofocus
            />
            {error && variables?.verb === 'reject' && <ErrorAlert error={error} title={`Couldn't reject the ${noun}`} />}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" disabled={isPending} onClick={leave}>
                Cancel
              </Button>
              <Button color="red" type="submit" disabled={comment.trim() === ''} loading={isPending}>
                Reject
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
