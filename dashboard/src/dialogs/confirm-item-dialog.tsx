import { notifications } from '@mantine/notifications';
import type { ComponentProps, ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useLastDefined } from './use-last-defined.ts';

type Mutation = {
  mutate: (id: string, options: { onSuccess: () => void }) => void;
  isPending: boolean;
  error: Error | null;
  reset: () => void;
};

type Props<Item> = Pick<ComponentProps<typeof ConfirmDialog>, 'title' | 'confirm' | 'failed'> & {
  /** What the action is about. `undefined`: closed. */
  item: Item | undefined;
  onClose: () => void;
  mutation: Mutation;
  /** Follows the name of the item in the notification of success. */
  done: string;
  children: (item: Item) => ReactNode;
};

/** Confirms an action on one item of a list. */
export function ConfirmItemDialog<Item extends { id: string; name: string }>({ item, onClose, mutation, done, ...words }: Props<Item>) {
  const { title, confirm, failed, children } = words;
  const { mutate, isPending, error, reset } = mutation;
  const shown = useLastDefined(item);
  const close = () => {
    reset();
    onClose();
  };
  const act = ({ id, name }: Item) =>
    mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `${name} ${done}` });
        close();
      },
    });

  return (
    <ConfirmDialog
      opened={item !== undefined}
      onClose={close}
      title={title}
      confirm={confirm}
      isPending={isPending}
      error={error}
      failed={failed}
      onConfirm={() => shown && act(shown)}
    >
      {shown && children(shown)}
    </ConfirmDialog>
  );
}
