import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { ConfirmButton } from '../shell/confirm-button.tsx';
import { type Segment, segmentChanged } from './segments.ts';

function useArchive({ id }: Segment, verb: 'archive' | 'restore') {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.POST(`/v2/segments/{id}/${verb}`, { params: { path: { id } }, body: {} })),
    onSuccess: () => segmentChanged(queries, id),
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
      onConfirm={(close) =>
        archiving.mutate(undefined, {
          onSuccess: () => {
            close();
            notifications.show({ message: `${segment.name} was archived.` });
          },
        })
      }
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
      onSuccess: () => notifications.show({ message: `${segment.name} was restored.` }),
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't restore the segment", message: error.message }),
    });
  return (
    <Button loading={isPending} onClick={restore}>
      Restore
    </Button>
  );
}
