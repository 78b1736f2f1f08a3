import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../form/form-dialog.tsx';
import { SegmentForm } from '../segments/segment-form.tsx';
import { useCreateSegment } from '../segments/segments.ts';
import { SegmentDialogContext } from './segment-dialog-context.ts';

/** Creates segments without leaving the workflow. Like the dialog of its emails, it is not inside the form of the workflow. */
export function SegmentDialogProvider({ children }: { children: ReactNode }) {
  const [wanted, setWanted] = useState<{ onCreated: (segmentId: string) => void }>();
  const close = () => setWanted(undefined);
  return (
    <SegmentDialogContext value={{ isOpen: wanted !== undefined, open: (onCreated) => setWanted({ onCreated }) }}>
      {children}
      <FormDialog isFullScreen opened={wanted !== undefined} onClose={close} title="New segment">
        <NewSegment
          onCreated={(id) => {
            wanted?.onCreated(id);
            close();
          }}
          onCancel={close}
        />
      </FormDialog>
    </SegmentDialogContext>
  );
}

function NewSegment({ onCreated, onCancel }: { onCreated: (segmentId: string) => void; onCancel: () => void }) {
  const creation = useCreateSegment();
  return (
    <SegmentForm
      submit="Create segment"
      failed="Couldn't create the segment"
      onCancel={onCancel}
      saving={creation}
      onSubmit={(segment) =>
        creation.mutate(segment, {
          onSuccess: ({ id, name }) => {
            notifications.show({ message: `${name} was created.` });
            onCreated(id);
          },
        })
      }
    />
  );
}
