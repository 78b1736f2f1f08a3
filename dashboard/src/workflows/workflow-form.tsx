import { Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { CatchBoundary } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
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
  saving: { isPending: boolean; error: Error | null };
  cancel: ReactNode;
  onSubmit: (written: NewWorkflow) => void;
};

/** Edits a workflow as JSON, with a diagram of it beside. */
export function WorkflowForm({ workflow, submit, failed, saving, cancel, onSubmit }: Props) {
  const form = useForm({
    initialValues: {
      name: workflow?.name ?? '',
      description: workflow?.description ?? '',
      definition: jsonOf(workflow ?? firstDefinition),
    },
    validate: { name: required('Give the workflow a name.'), definition: jsonError },
  });
  const { definition } = form.values;
  const [settled] = useDebouncedValue(definition, typingMs);

  const save = ({ name, description }: typeof form.values) => {
    const read = readJson(definition);
    // The API validates the fields and reports errors.
    if ('fields' in read) onSubmit({ ...read.fields, name, description: description.trim() || null } as NewWorkflow);
  };

  return (
    <Form form={form} saving={saving} onSubmit={save}>
      <Columns>
        <Stack gap="lg">
          <Panel title="Workflow">
            <Stack gap="sm">
              <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
              <TextInput label="Description" autoComplete="off" {...form.getInputProps('description')} />
            </Stack>
          </Panel>
          <Panel title="Definition">
            <Textarea
              label="Trigger and steps"
              description="JSON. The API reference lists all triggers and steps."
              rows={26}
              spellCheck={false}
              classNames={{ input: classes.source ?? '' }}
              {...form.getInputProps('definition')}
              error={jsonError(definition)}
            />
          </Panel>
        </Stack>
        <Stack gap="lg" className={classes.beside}>
          <Panel title="Steps">
            <Drawing text={settled} />
          </Panel>
          <FormActions submit={submit} failed={failed} cancel={cancel} namesPaths />
        </Stack>
      </Columns>
    </Form>
  );
}

function jsonError(text: string): string | null {
  const read = readJson(text);
  return 'fault' in read ? read.fault : null;
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
