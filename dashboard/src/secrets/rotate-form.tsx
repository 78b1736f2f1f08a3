import { NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';

/** How long the old secret keeps working beside the new one, in seconds. */
const graces = [
  { value: '0', label: 'Stops working now' },
  { value: '3600', label: 'Works for one more hour' },
  { value: '86400', label: 'Works for one more day' },
  { value: '604800', label: 'Works for seven more days' },
];

type Props = {
  /** What is rotated: "key" or "secret". */
  of: 'key' | 'secret';
  rotation: { isPending: boolean; error: Error | null };
  onRotate: (graceSeconds: number) => void;
  onCancel: () => void;
  /** Explains the rotation. */
  children: ReactNode;
};

/** Asks how long the old secret keeps working. */
export function RotateForm({ of, rotation, onRotate, onCancel, children }: Props) {
  const form = useForm({ initialValues: { grace: '86400' } });
  return (
    <Form form={form} saving={rotation} onSubmit={({ grace }) => onRotate(Number(grace))}>
      <Stack gap="md">
        <Text size="sm">{children}</Text>
        <NativeSelect label={`Old ${of}`} data={graces} data-autofocus {...form.getInputProps('grace')} />
        <FormActions submit={`Rotate ${of}`} failed={`Couldn't rotate the ${of}`} cancel={onCancel} />
      </Stack>
    </Form>
  );
}
