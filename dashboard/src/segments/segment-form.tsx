import { Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { required } from '../form/required.ts';
import { useNames } from '../names/names.ts';
import { Panel } from '../page/panel.tsx';
import { GroupEditor } from '../rules/group-editor.tsx';
import { draftOf, type GroupDraft, isComplete, newCondition, newGroup, ruleOf } from '../rules/rule-draft.ts';
import { ruleErrors } from '../rules/rule-errors.ts';
import { ruleSentence } from '../rules/rule-sentence.ts';
import { SegmentPreview } from './segment-preview.tsx';
import { type Definition, type NewSegment, type Rule, type Segment, usePreview } from './segments.ts';

const typingMs = 400;

/** As typed. */
export type SegmentValues = { name: string; description: string; rule: GroupDraft };

export const segmentDraftOf = (segment: Segment | undefined): SegmentValues => ({
  name: segment?.name ?? '',
  description: segment?.description ?? '',
  rule: segment?.definition ? draftOf(segment.definition) : newGroup([newCondition('field')]),
});

type Props = {
  segment?: Segment;
  submit: string;
  failed: string;
  saving: { isPending: boolean; error: Error | null };
  kept: Draft<SegmentValues>;
  cancel: ReactNode;
  onSubmit: (wanted: NewSegment) => void;
};

export function SegmentForm({ segment, submit, failed, saving, kept, cancel, onSubmit }: Props) {
  const form = useForm({
    initialValues: segmentDraftOf(segment),
    validate: { name: required('Give the segment a name.') },
  });
  const { rule } = form.values;
  const { named } = useNames();
  // The API validates the rule and reports errors.
  const definition = ruleOf(rule) as Definition;
  const isStatic = segment?.kind === 'static';
  const typed = JSON.stringify(definition);
  const isPreviewable = !isStatic && isComplete(rule);
  // Without this, the character that completes a rule would send the incomplete one before it.
  const [settled] = useDebouncedValue(isPreviewable ? typed : '', typingMs);
  const [submitted, setSubmitted] = useState('');
  const previewed = isPreviewable && settled !== '' ? (JSON.parse(settled) as Definition) : undefined;
  const preview = usePreview(previewed);
  // The paths of an error belong to the definition that was sent.
  const error = (typed === submitted && saving.error) || (typed === settled && preview.error) || null;

  return (
    <Form
      form={form}
      saving={saving}
      draft={{ ...kept, comparable: ({ rule: draft, ...values }) => ({ ...values, rule: sentenceOf(draft, named) }) }}
      onSubmit={({ name, description }) => {
        setSubmitted(typed);
        onSubmit({ name, description: description.trim() || null, ...(!isStatic && { definition }) });
      }}
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
              <GroupEditor group={rule} errors={ruleErrors(error)} onChange={(changed) => form.setFieldValue('rule', changed)} />
            </Panel>
            <SegmentPreview definition={previewed} />
          </>
        )}
        <FormActions submit={submit} failed={failed} cancel={cancel} />
      </Stack>
    </Form>
  );
}

/** The conditions as they are compared with those of another version. */
function sentenceOf(typed: GroupDraft, named: (id: string) => string): string {
  try {
    return ruleSentence(ruleOf(typed) as Rule, named);
  } catch {
    // A condition that is written as JSON can be anything.
    return 'These conditions are not complete.';
  }
}
