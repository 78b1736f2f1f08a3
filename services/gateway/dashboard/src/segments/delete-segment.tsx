import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../shell/confirm.tsx';
import { type Segment, useDeleteSegment } from './segments.ts';

export function DeleteSegment({ segment }: { segment: Segment }) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useDeleteSegment(segment);
  const deleteIt = () =>
    mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: `${segment.name} is deleted.` });
        void navigate({ to: '/segments' });
      },
    });

  return (
    <>
      <Button variant="default" onClick={open}>
        Delete
      </Button>
      <Confirm
        opened={opened}
        onClose={() => {
          reset();
          close();
        }}
        title="Delete this segment?"
        confirm="Delete segment"
        isPending={isPending}
        error={error}
        failed="The segment was not deleted"
        onConfirm={deleteIt}
      >
        <Text size="sm">
          <strong>{segment.name}</strong> and its history of members go. Its contacts stay.
        </Text>
      </Confirm>
    </>
  );
}
