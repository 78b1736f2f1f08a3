import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

type Props = Pick<ComponentProps<typeof ConfirmDialog>, 'title' | 'children' | 'confirm' | 'keep' | 'isHarmless' | 'failed'> & {
  label: string;
  /** A unique accessible name for a button in a list; also makes the button small. */
  description?: string;
  /** The confirmed mutation; its error is reset when the dialog closes. */
  mutation: { isPending: boolean; error: Error | null; reset: () => void };
  onConfirm: (close: () => void) => void;
};

/** A button with a confirmation dialog. */
export function ConfirmButton({ label, description, mutation, onConfirm, ...question }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const { isPending, error, reset } = mutation;
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
        onConfirm={() => onConfirm(close)}
      />
    </>
  );
}
