import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { EditForm } from '../form/edit-form.tsx';
import classes from '../form/editor.module.css';
import { useNames } from '../segments/names.ts';
import { Columns, Panel } from '../shell/panel.tsx';
import { WorkflowFlow } from './workflow-flow.tsx';
import { firstDefinition, isDrawable, jsonOf, readJson } from './workflow-json.ts';
import type { NewWorkflow, Workflow } from './workflows.ts';

const typingMs = 250;
const noCounts = new Map();

type Props = {
  workflow?: Workflow;
  submit: string;
  failed: string;
  isPending: boolean;
  error: Error | null;
  cancel: ReactNode;
  onSubmit: (written: NewWorkflow) => void;
};

/** Edits a workflow as JSON, with a diagram of it beside. */
export function WorkflowForm({ workflow, submit, failed, isPending, error, cancel, onSubmit }: Props) {
  const [name, setName] = useState(workflow?.name ?? '');
  const [description, setDescription] = useState(workflow?.description ?? '');
  const [text, setText] = useState(() => jsonOf(workflow ?? firstDefinition));
  const [opened] = useState({ name, description, text });
  const isChanged = name !== opened.name || description !== opened.description || text !== opened.text;
  const [isNameMissing, setNameMissing] = useState(false);
  const [settled] = useDebouncedValue(text, typingMs);
  const read = readJson(text);

  const save = () => {
    setNameMissing(name.trim() === '');
    if (name.trim() === '' || !('fields' in read)) return;
    // The API validates the fields and reports errors.
    onSubmit({ ...read.fields, name, description: description.trim() || null } as NewWorkflow);
  };

  return (
    <EditForm isChanged={isChanged} isPending={isPending} onSubmit={save}>
      <Columns>
        <Stack gap="lg">
          <Panel title="Workflow">
            <Stack gap="sm">
              <TextInput
                label="Name"
                autoComplete="off"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={isNameMissing && name.trim() === '' ? 'Give the workflow a name.' : fieldError(error, '/name')}
              />
              <TextInput
                label="Description"
                autoComplete="off"
                value={description}
                onChange={(event) => setDescription(event.currentTarget.value)}
                error={fieldError(error, '/description')}
              />
            </Stack>
          </Panel>
          <Panel title="Definition">
            <Textarea
              label="Trigger and steps"
              description="JSON. The API reference lists all triggers and steps."
              rows={26}
              spellCheck={false}
              classNames={{ input: classes.source ?? '' }}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={'fault' in read && read.fault}
            />
          </Panel>
        </Stack>
        <Stack gap="lg" className={classes.beside}>
          <Panel title="Steps">
            <Drawing text={settled} />
          </Panel>
          {error && <ErrorAlert error={error} title={failed} namesPaths shownElsewhere={['/name', '/description']} />}
          <Group justify="flex-end" gap="sm">
            {cancel}
            <Button type="submit" loading={isPending}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </Columns>
    </EditForm>
  );
}

function Drawing({ text }: { text: string }) {
  const { named } = useNames();
  const read = readJson(text);
  if (!('fields' in read) || !isDrawable(read.fields)) return <NotYet />;
  return (
    <CatchBoundary getResetKey={() => text} errorComponent={NotYet}>
      <WorkflowFlow workflow={read.fields} named={named} counts={noCounts} />
    </CatchBoundary>
  );
}

const NotYet = () => (
  <Text size="sm" c="dimmed">
    Fix the JSON to see the diagram.
  </Text>
);
