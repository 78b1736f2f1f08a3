import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

type Props = Pick<ComponentProps<typeof ConfirmDialog>, 'title' | 'children' | 'confirm' | 'keep' | 'isHarmless' | 'failed'> & {
  label: string;
  /** A unique accessible name for a button in a list; also makes the button small. */
  description?: string;
  /** The confirmed mutation; its error is reset when the dialog closes. */
  mutation: { isPending: boolean; error: Error | null; reset: () => void };
  /** Starts the mutation. */
  onConfirm: (options: { onSuccess: () => void }) => void;
  /** The notification of success. */
  done?: string;
  /** The page that follows success. */
  next?: NavigateOptions;
};

/** A button with a confirmation dialog. */
export function ConfirmButton({ label, description, mutation, onConfirm, done, next, ...question }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { isPending, error, reset } = mutation;
  const onSuccess = () => {
    close();
    if (done !== undefined) notifications.show({ message: done });
    if (next) void navigate(next);
  };
  return (
    <>
      <Button variant="default" {...(description !== undefined && { size: 'xs', 'aria-label': description })} onClick={open}>
        {label}
      </Button>
      <ConfirmDialog
        {...question}
        opened={opened}
        onClose={() => {
          reset();
          close();
        }}
        isPending={isPending}
        error={error}
        onConfirm={() => onConfirm({ onSuccess })}
      />
    </>
  );
}
