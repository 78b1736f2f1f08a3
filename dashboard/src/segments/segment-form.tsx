import { Box, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Editor } from '../editor/editor.tsx';
import formClasses from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import type { Draft } from '../form/kept-draft.tsx';
import { required } from '../form/required.ts';
import { useNames } from '../names/names.ts';
import { Panel } from '../page/panel.tsx';
import { GroupEditor } from '../rules/group-editor.tsx';
import { draftOf, type GroupDraft, isComplete, newCondition, newGroup, ruleOf } from '../rules/rule-draft.ts';
import { ruleErrors } from '../rules/rule-errors.ts';
import { ruleName, ruleSentence } from '../rules/rule-sentence.ts';
import classes from './segment-form.module.css';
import { SegmentPreview } from './segment-preview.tsx';
import type { Definition, NewSegment, Rule, Segment } from './segments.ts';
import { useSegmentPreview } from './use-segment-preview.ts';

const typingMs = 400;

/** As typed. */
export type SegmentValues = { name: string; description: string; rule: GroupDraft };

export const segmentDraftOf = (segment: Segment | undefined): SegmentValues => ({
  name: segment?.name ?? '',
  description: segment?.description ?? '',
  rule: segment?.definition ? draftOf(segment.definition) : newGroup([newCondition('field')]),
});

type Page = Pick<ComponentProps<typeof Editor>, 'title' | 'back' | 'status' | 'live' | 'submit' | 'failed'> & {
  kept: Draft<SegmentValues>;
  /** What is asked about changed conditions, once they are complete. */
  ask?: (changed: Definition) => ReactNode;
};
type Dialog = { submit: string; failed: string; onCancel: () => void };

type Props = (Page | Dialog) & {
  segment?: Segment;
  saving: { isPending: boolean; error: Error | null };
  /** Calls back once the segment is saved. */
  onSubmit: (wanted: NewSegment, onDone: () => void) => void;
};

/** A segment, on a page of its own or in a dialog. */
export function SegmentForm({ segment, saving, onSubmit, ...frame }: Props) {
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
  const preview = useSegmentPreview(previewed);
  // The paths of an error belong to the definition that was sent.
  const error = (typed === submitted && saving.error) || (typed === settled && preview.error) || null;

  const suggestion = segment || !isPreviewable ? '' : inWords(rule, (read) => ruleName(read, named), '');
  const suggested = useRef('');
  const suggest = useEffectEvent(() => {
    if (suggestion === '') return;
    // A name that the user typed stays.
    if (form.values.name === suggested.current) form.setFieldValue('name', suggestion);
    suggested.current = suggestion;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name follows the conditions.
  useEffect(() => suggest(), [suggestion]);

  return (
    <Form
      form={form}
      saving={saving}
      draft={{
        ...('kept' in frame && frame.kept),
        comparable: ({ rule: draft, ...values }) => ({
          ...values,
          rule: inWords(draft, (read) => ruleSentence(read, named), 'These conditions are not complete.'),
        }),
      }}
      onSubmit={(values) => {
        const { name, description } = values;
        setSubmitted(typed);
        onSubmit({ name, description: description.trim() || null, ...(!isStatic && { definition }) }, () => form.resetDirty(values));
      }}
    >
      <Frame {...frame} name={form.getInputProps('name')}>
        <div className={isStatic ? undefined : classes.sides}>
          <Stack gap="lg">
            {!isStatic && (
              <Panel title="Conditions">
                <GroupEditor group={rule} errors={ruleErrors(error)} onChange={(changed) => form.setFieldValue('rule', changed)} />
              </Panel>
            )}
            {'kept' in frame && previewed && form.isDirty('rule') && frame.ask?.(previewed)}
            {'kept' in frame && <Textarea label="Description" autosize maw={560} {...form.getInputProps('description')} />}
          </Stack>
          {!isStatic && (
            <div className={formClasses.beside}>
              <SegmentPreview definition={previewed} />
            </div>
          )}
        </div>
      </Frame>
    </Form>
  );
}

function Frame({ name, children, ...frame }: (Page | Dialog) & { name: object; children: ReactNode }) {
  if ('onCancel' in frame) {
    const { onCancel, ...actions } = frame;
    return (
      <Box maw={1240} mx="auto">
        <Stack gap="lg">
          {children}
          <TextInput label="Name" autoComplete="off" maw={560} {...name} />
          <FormActions {...actions} cancel={onCancel} />
        </Stack>
      </Box>
    );
  }
  const { kept: _, ask: _ask, ...editor } = frame;
  return (
    <Editor {...editor} name={name}>
      {children}
    </Editor>
  );
}

/** The conditions in words; `otherwise` if they are not complete. */
function inWords(typed: GroupDraft, words: (rule: Rule) => string, otherwise: string): string {
  try {
    return words(ruleOf(typed) as Rule);
  } catch {
    // A condition that is written as JSON can be anything.
    return otherwise;
  }
}
