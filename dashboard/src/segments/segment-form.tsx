import { Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { Panel } from '../shell/panel.tsx';
import { GroupEditor } from './group-editor.tsx';
import { draftOf, isComplete, newCondition, newGroup, ruleOf } from './rule-draft.ts';
import { SegmentPreview } from './segment-preview.tsx';
import type { Definition, NewSegment, Segment } from './segments.ts';

const typingMs = 400;

type Props = {
  segment?: Segment;
  submit: string;
  failed: string;
  saving: { isPending: boolean; error: Error | null };
  cancel: ReactNode;
  onSubmit: (wanted: NewSegment) => void;
};

export function SegmentForm({ segment, submit, failed, saving, cancel, onSubmit }: Props) {
  const form = useForm({
    initialValues: {
      name: segment?.name ?? '',
      description: segment?.description ?? '',
      rule: segment?.definition ? draftOf(segment.definition) : newGroup([newCondition('field')]),
    },
    validate: { name: required('Give the segment a name.') },
  });
  const { rule } = form.values;
  // The API validates the rule and reports errors.
  const definition = ruleOf(rule) as Definition;
  const isStatic = segment?.kind === 'static';
  const [settled] = useDebouncedValue(JSON.stringify(definition), typingMs);

  return (
    <Form
      form={form}
      saving={saving}
      onSubmit={({ name, description }) => onSubmit({ name, description: description.trim() || null, ...(!isStatic && { definition }) })}
    >
      <Stack gap="lg">
        <Panel title="Segment">
          <Stack gap="md" maw={560}>
            <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
            <Textarea label="Description" autosize {...form.getInputProps('description')} />
          </Stack>
        </Panel>
        {!isStatic && (
          <>
            <Panel title="Conditions">
              <GroupEditor group={rule} onChange={(changed) => form.setFieldValue('rule', changed)} />
            </Panel>
            <SegmentPreview definition={isComplete(rule) ? (JSON.parse(settled) as Definition) : undefined} />
          </>
        )}
        <FormActions submit={submit} failed={failed} cancel={cancel} />
      </Stack>
    </Form>
  );
}
