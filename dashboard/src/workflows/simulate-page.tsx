import { Button, Fieldset, MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { ContactField } from '../contacts/contact-field.tsx';
import { DurationField } from '../form/duration-field.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { accountZone, timeAt } from '../time/zone.ts';
import { Emails, OpenedEmail } from './simulation/emails.tsx';
import { SimulationOutcome } from './simulation/outcome.tsx';
import { sentBy, usePlayback } from './simulation/playback.ts';
import { Player } from './simulation/player.tsx';
import { responseWith } from './simulation/responses.ts';
import { TimeLine } from './simulation/time-line.tsx';
import { pathLabel, stepName } from './step-labels.ts';
import { useStepNames } from './step-names.ts';
import { WorkflowTabs } from './workflow-tabs.tsx';
import { type SimulationEvent, useSimulate, useWorkflow, type Workflow, type WorkflowStep } from './workflows.ts';

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
      <WorkflowTabs id={id} />
      <Loaded of="the workflow" query={query}>
        {(loaded) => <Simulation workflow={loaded} />}
      </Loaded>
    </Page>
  );
}

type Branch = Extract<WorkflowStep, { type: 'branch' }>;
const isBranch = (step: WorkflowStep): step is Branch => step.type === 'branch';
type Webhook = Extract<WorkflowStep, { type: 'webhook' }>;
const isCapturing = (step: WorkflowStep): step is Webhook => step.type === 'webhook' && Object.keys(step.capture ?? {}).length > 0;

type Tested = Extract<WorkflowStep, { type: 'send' }>;
const isTested = (step: WorkflowStep): step is Tested => step.type === 'send' && (step.variants ?? []).length > 0;

/** Whether the step has an effect outside the workflow, which can be rejected. */
const isEffect = ({ type }: WorkflowStep) => ['send', 'update_contact', 'add_tag', 'remove_tag', 'webhook'].includes(type);

function Simulation({ workflow }: { workflow: Workflow }) {
  const { id, steps } = workflow;
  const { mutate, data, error, isPending } = useSimulate(id);
  const named = useStepNames(workflow);
  const [who, setWho] = useState('');
  /** The chosen branch by step ID: its index, 'else', or empty to evaluate the conditions. */
  const [paths, setPaths] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<string[]>([]);
  /** What webhooks respond with, by step ID and by the name of what is captured. */
  const [responses, setResponses] = useState<Readonly<Record<string, Readonly<Record<string, string>>>>>({});
  /** The chosen variant by step ID; empty for that of the contact. */
  const [variants, setVariants] = useState<Readonly<Record<string, string>>>({});
  const [events, setEvents] = useState<SimulationEvent[]>([]);
  const [start, setStart] = useState('');
  const [advance, setAdvance] = useState('P400D');
  const log = data?.log ?? [];
  const playback = usePlayback(log.length);
  const formId = useId();
  const hasContact = who.trim() !== '';

  const simulate = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const decided = Object.entries(paths).filter(([, path]) => path !== '');
    const given = steps.filter(isCapturing).flatMap((step) => {
      const response = responseWith(step.capture ?? {}, responses[step.id] ?? {});
      return response === undefined ? [] : [[step.id, response] as const];
    });
    playback.goTo(Number.POSITIVE_INFINITY);
    mutate({
      who: who.trim(),
      branches: Object.fromEntries(decided.map(([step, path]) => [step, path === 'else' ? null : Number(path)])),
      refused,
      responses: Object.fromEntries(given),
      variants: Object.fromEntries(Object.entries(variants).filter(([, name]) => name !== '')),
      events,
      advance,
      ...(start !== '' && { from: timeAt(start) }),
    });
  };

  return (
    <Stack gap="lg">
      <Panel title="Steps">
        <Player
          label="Steps"
          definition={workflow}
          named={named}
          log={log}
          isCompleted={data?.status === 'completed'}
          playback={playback}
        />
      </Panel>
      <Columns>
        <Stack gap="lg">
          <Panel title="Simulation">
            <Stack component="form" id={formId} gap="sm" onSubmit={simulate}>
              <ContactField
                label="Contact"
                description="Name, email or ID. Conditions use the contact's current data."
                placeholder="No contact"
                value={who}
                onChange={setWho}
              />
              {steps.filter(isBranch).map((step) => (
                <NativeSelect
                  key={step.id}
                  label={stepName(step)}
                  description="Branch to take"
                  data={[
                    { value: '', label: hasContact ? 'Decided by the conditions' : 'Otherwise (no contact)' },
                    ...step.branches.map((_, index) => ({ value: String(index), label: pathLabel(step, index, named) })),
                    { value: 'else', label: 'Otherwise' },
                  ]}
                  value={paths[step.id] ?? ''}
                  onChange={({ currentTarget: { value } }) => setPaths({ ...paths, [step.id]: value })}
                />
              ))}
              {steps.filter(isTested).map((step) => (
                <NativeSelect
                  key={step.id}
                  label={`Variant of ${stepName(step)}`}
                  data={[
                    { value: '', label: hasContact ? 'The one of the contact' : 'Any' },
                    ...(step.variants ?? []).map(({ name }) => ({ value: name, label: `Variant ${name}` })),
                  ]}
                  value={variants[step.id] ?? ''}
                  onChange={({ currentTarget: { value } }) => setVariants({ ...variants, [step.id]: value })}
                />
              ))}
              {steps.filter(isCapturing).map((step) => (
                <Fieldset key={step.id} legend={`Response of ${stepName(step)}`}>
                  <Stack gap="sm">
                    {Object.keys(step.capture ?? {}).map((name) => (
                      <TextInput
                        key={name}
                        label={name}
                        placeholder="Not in the response"
                        autoComplete="off"
                        value={responses[step.id]?.[name] ?? ''}
                        onChange={({ currentTarget: { value } }) =>
                          setResponses({ ...responses, [step.id]: { ...responses[step.id], [name]: value } })
                        }
                      />
                    ))}
                  </Stack>
                </Fieldset>
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
              <TextInput
                type="datetime-local"
                label="Start (optional)"
                description={`Leave empty to start now. Time zone: ${accountZone()}.`}
                value={start}
                onChange={(event) => setStart(event.currentTarget.value)}
              />
              <DurationField label="Simulate at most" value={advance} onChange={setAdvance} />
            </Stack>
          </Panel>
          <TimeLine events={events} onChange={setEvents} steps={steps} named={named} />
          <div>
            <Button type="submit" form={formId} loading={isPending}>
              Simulate
            </Button>
          </div>
        </Stack>
        <Stack gap="lg">
          {error && <ErrorAlert error={error} title="Couldn't run the simulation" />}
          {data && data.messages.length > 0 && (
            <Emails emails={sentBy(data.messages, log.slice(0, playback.position))} began={log[0]?.at ?? ''} steps={steps}>
              {(email) => <OpenedEmail email={email} />}
            </Emails>
          )}
          {data && <SimulationOutcome simulation={data} steps={steps} named={named} position={playback.position} longest={advance} />}
        </Stack>
      </Columns>
    </Stack>
  );
}
