import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps } from 'react';
import { Confirm } from './confirm.tsx';

type Props = Pick<ComponentProps<typeof Confirm>, 'title' | 'children' | 'confirm' | 'keep' | 'isHarmless' | 'failed'> & {
  label: string;
  /** What the label alone does not say, where many such buttons, smaller ones, stand in one list. */
  description?: string;
  /** What is confirmed; a fault of it is forgotten when the question is closed. */
  mutation: { isPending: boolean; error: Error | null; reset: () => void };
  onConfirm: (close: () => void) => void;
};

/** A button that asks before it does something. */
export function ConfirmButton({ label, description, mutation, onConfirm, ...question }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const { isPending, error, reset } = mutation;
  return (
    <>
      <Button variant="default" {...(description !== undefined && { size: 'xs', 'aria-label': description })} onClick={open}>
        {label}
      </Button>
      <Confirm
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
