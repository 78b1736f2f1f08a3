import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Segment, segmentChanged } from './segments.ts';

const done = { archive: 'archived', restore: 'restored' } as const;

function useArchive({ id, name }: Segment, verb: keyof typeof done) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.POST(`/v2/segments/{id}/${verb}`, { params: { path: { id } }, body: {} })),
    // Here rather than at the call: the button is replaced by the other one before the call's callbacks would run.
    onSuccess: () => {
      notifications.show({ message: `${name} was ${done[verb]}.` });
      return segmentChanged(queries, id);
    },
  });
}

/** Archives the segment, or restores an archived one. */
export const ArchiveSegment = ({ segment }: { segment: Segment }) =>
  segment.archived_at === null ? <Archive segment={segment} /> : <Restore segment={segment} />;

function Archive({ segment }: { segment: Segment }) {
  const archiving = useArchive(segment, 'archive');
  return (
    <ConfirmButton
      label="Archive"
      title="Archive this segment?"
      confirm="Archive segment"
      failed="Couldn't archive the segment"
      isHarmless
      mutation={archiving}
      onConfirm={(options) => archiving.mutate(undefined, options)}
    >
      <Text size="sm">
        <strong>{segment.name}</strong> disappears from the list and is no longer evaluated. Its history stays, and you can restore it.
      </Text>
    </ConfirmButton>
  );
}

function Restore({ segment }: { segment: Segment }) {
  const { mutate, isPending } = useArchive(segment, 'restore');
  const restore = () =>
    mutate(undefined, {
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't restore the segment", message: error.message }),
    });
  return (
    <Button loading={isPending} onClick={restore}>
      Restore
    </Button>
  );
}
