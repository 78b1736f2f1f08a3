import { Button, MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { Columns, Panel } from '../shell/panel.tsx';
import { Canvas } from './canvas/lazy-canvas.tsx';
import { pathOf } from './canvas/lit-path.ts';
import { SimulatedMessages } from './simulated-messages.tsx';
import { SimulationOutcome } from './simulation-outcome.tsx';
import { useStepNames } from './step-names.ts';
import { stepName, wayWords } from './step-words.ts';
import { useSimulate, useWorkflow, type Workflow, type WorkflowStep } from './workflows.ts';

/** Simulates a run on a virtual clock: nothing is sent, changed or called. */
export function SimulatePage() {
  const { id } = useParams({ from: '/signed-in/workflows/$id/simulate' });
  const query = useWorkflow(id);
  const { data: workflow } = query;
  return (
    <Page
      title={workflow ? `Simulate ${workflow.name}` : 'Simulate'}
      describes="The path a contact would take. Delays are skipped; nothing is sent."
      back={
        <BackLink to="/workflows/$id" params={{ id }}>
          {workflow?.name ?? 'Workflow'}
        </BackLink>
      }
    >
      <Loaded of="the workflow" query={query}>
        {(loaded) => <Simulation workflow={loaded} />}
      </Loaded>
    </Page>
  );
}

type Branch = Extract<WorkflowStep, { type: 'branch' }>;
const isBranch = (step: WorkflowStep): step is Branch => step.type === 'branch';
/** Whether the step has an effect outside the workflow, which can be rejected. */
const isEffect = ({ type }: WorkflowStep) => ['send', 'update_contact', 'add_tag', 'remove_tag', 'webhook'].includes(type);

function Simulation({ workflow }: { workflow: Workflow }) {
  const { id, steps } = workflow;
  const { mutate, data, error, isPending } = useSimulate(id);
  const named = useStepNames(workflow);
  const [stepId, setStepId] = useState<string | null>(null);
  const [who, setWho] = useState('');
  /** The chosen branch by step ID: its index, 'else', or empty to evaluate the conditions. */
  const [paths, setPaths] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<string[]>([]);
  const hasContact = who.trim() !== '';

  const simulate = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const decided = Object.entries(paths).filter(([, path]) => path !== '');
    mutate({
      who: who.trim(),
      branches: Object.fromEntries(decided.map(([step, path]) => [step, path === 'else' ? null : Number(path)])),
      refused,
    });
  };

  return (
    <Stack gap="lg">
      <Panel title="Steps">
        <Canvas
          label="Steps"
          definition={workflow}
          named={named}
          lit={data && pathOf(workflow, data.log, data.state === 'completed')}
          selected={stepId}
          onSelect={setStepId}
        />
      </Panel>
      <Columns>
        <form onSubmit={simulate}>
          <Panel title="Simulation">
            <Stack gap="sm">
              <TextInput
                label="Contact"
                description="Email or ID. Conditions use the contact's current data."
                placeholder="No contact"
                autoComplete="off"
                value={who}
                onChange={(event) => setWho(event.currentTarget.value)}
              />
              {steps.filter(isBranch).map((step) => (
                <NativeSelect
                  key={step.id}
                  label={stepName(step)}
                  description="Branch to take"
                  data={[
                    { value: '', label: hasContact ? 'Decided by the conditions' : 'Otherwise (no contact)' },
                    ...step.branches.map((_, index) => ({ value: String(index), label: wayWords(step, index, named) })),
                    { value: 'else', label: 'Otherwise' },
                  ]}
                  value={paths[step.id] ?? ''}
                  onChange={({ currentTarget: { value } }) => setPaths({ ...paths, [step.id]: value })}
                />
              ))}
              {steps.some(isEffect) && (
                <MultiSelect
                  label="Steps that fail"
                  description="Simulate a rejected email or a webhook that doesn't respond."
                  placeholder={refused.length === 0 ? 'None' : ''}
                  data={steps.filter(isEffect).map((step) => ({ value: step.id, label: stepName(step) }))}
                  value={refused}
                  onChange={setRefused}
                />
              )}
              <div>
                <Button type="submit" loading={isPending}>
                  Simulate
                </Button>
              </div>
            </Stack>
          </Panel>
        </form>
        <Stack gap="lg">
          {error && <ErrorAlert error={error} title="Couldn't run the simulation" />}
          {data && <SimulationOutcome simulation={data} steps={steps} />}
          {data && data.messages.length > 0 && <SimulatedMessages messages={data.messages} steps={steps} stepId={stepId} />}
        </Stack>
      </Columns>
    </Stack>
  );
}
