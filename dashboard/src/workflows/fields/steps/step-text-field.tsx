import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WorkflowStep } from '../../workflows.ts';
import { type StepProps, useSet } from './step-props.ts';

type StepTextProps = StepProps & {
  field: string;
  label: string;
  value: string;
  onText: (text: string) => WorkflowStep;
  description?: ReactNode;
  placeholder?: string;
  isLong?: boolean;
};

/** A field for one text of a step. */
export function StepTextField({ field, label, value, onText, description, placeholder, isLong = false, ...props }: StepTextProps) {
  const set = useSet(props);
  const rest = { label, description, placeholder, value, error: props.fault(`/${field}`) };
  return isLong ? (
    <Textarea {...rest} autosize minRows={3} maxRows={16} onChange={(event) => set(onText(event.currentTarget.value), field)} />
  ) : (
    <TextInput {...rest} autoComplete="off" onChange={(event) => set(onText(event.currentTarget.value), field)} />
  );
}
