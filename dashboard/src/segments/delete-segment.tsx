import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Segment, useDeleteSegment } from './segments.ts';

export function DeleteSegment({ segment }: { segment: Segment }) {
  const navigate = useNavigate();
  const deletion = useDeleteSegment(segment);
  const onSuccess = () => {
    notifications.show({ message: `${segment.name} was deleted.` });
    void navigate({ to: '/segments' });
  };
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this segment?"
      confirm="Delete segment"
      failed="Couldn't delete the segment"
      mutation={deletion}
      onConfirm={() => deletion.mutate(undefined, { onSuccess })}
    >
      <Text size="sm">
        <strong>{segment.name}</strong> and its membership history are deleted. Its contacts are kept.
      </Text>
    </ConfirmButton>
  );
}
