import { Text } from '@mantine/core';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Segment, useDeleteSegment } from './segments.ts';

export function DeleteSegment({ segment }: { segment: Segment }) {
  const deletion = useDeleteSegment(segment);
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this segment?"
      confirm="Delete segment"
      failed="Couldn't delete the segment"
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`${segment.name} was deleted.`}
      next={{ to: '/segments' }}
    >
      <Text size="sm">
        <strong>{segment.name}</strong> and its membership history are deleted. Its contacts are kept.
      </Text>
    </ConfirmButton>
  );
}
