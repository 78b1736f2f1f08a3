import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { EditForm } from '../form/edit-form.tsx';
import { isSame } from '../json/is-same.ts';
import { ButtonLink } from '../shell/button-link.tsx';
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
  isPending: boolean;
  error: Error | null;
  onSubmit: (wanted: NewSegment) => void;
};

export function SegmentForm({ segment, submit, failed, isPending, error, onSubmit }: Props) {
  const [name, setName] = useState(segment?.name ?? '');
  const [description, setDescription] = useState(segment?.description ?? '');
  const [rule, setRule] = useState(() => (segment?.definition ? draftOf(segment.definition) : newGroup([newCondition('field')])));
  const [opened] = useState({ name, description, rule });
  const [isNameMissing, setNameMissing] = useState(false);
  // The API validates the rule and reports errors.
  const definition = ruleOf(rule) as Definition;
  const isStatic = segment?.kind === 'static';
  const [settled] = useDebouncedValue(JSON.stringify(definition), typingMs);

  const save = () => {
    setNameMissing(name.trim() === '');
    if (name.trim() === '') return;
    onSubmit({ name, description: description.trim() || null, ...(!isStatic && { definition }) });
  };

  return (
    <EditForm isChanged={!isSame({ name, description, rule }, opened)} isPending={isPending} onSubmit={save}>
      <Stack gap="lg">
        <Panel title="Segment">
          <Stack gap="md" maw={560}>
            <TextInput
              label="Name"
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={isNameMissing && name.trim() === '' ? 'Give the segment a name.' : fieldError(error, '/name')}
            />
            <Textarea
              label="Description"
              autosize
              value={description}
              onChange={(event) => setDescription(event.currentTarget.value)}
              error={fieldError(error, '/description')}
            />
          </Stack>
        </Panel>
        {!isStatic && (
          <>
            <Panel title="Conditions">
              <GroupEditor group={rule} onChange={setRule} />
            </Panel>
            <SegmentPreview definition={isComplete(rule) ? (JSON.parse(settled) as Definition) : undefined} />
          </>
        )}
        {error && <ErrorAlert error={error} title={failed} shownElsewhere={['/name', '/description']} />}
        <Group justify="flex-end" gap="sm">
          {segment ? (
            <ButtonLink to="/segments/$id" params={{ id: segment.id }} variant="default">
              Cancel
            </ButtonLink>
          ) : (
            <ButtonLink to="/segments" variant="default">
              Cancel
            </ButtonLink>
          )}
          <Button type="submit" loading={isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </EditForm>
  );
}
