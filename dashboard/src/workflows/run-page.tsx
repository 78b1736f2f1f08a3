import { Button, Group, Stack, Text, Timeline } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useParams } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { nameOf, useContact } from '../contacts/contacts.ts';
import { TextLink } from '../page/button-link.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Playback, usePlayback } from './simulation/playback.ts';
import { Player } from './simulation/player.tsx';
import { RunEmails } from './simulation/run-emails.tsx';
import { logLabel, stepName } from './step-labels.ts';
import { useStepNames } from './step-names.ts';
import { RunStatus } from './workflow-status.tsx';
import {
  isOpen,
  type RunDetails,
  type RunTransition,
  useRun,
  useTransitionRun,
  useVersion,
  useWorkflow,
  type Workflow,
  type WorkflowVersion,
} from './workflows.ts';

/** Labels for trigger types whose API name is not readable. */
const begunBy: Readonly<Record<string, string>> = { api: 'an API request', event: 'an event' };

/** One contact's run through a workflow, with its log. */
export function RunPage() {
  const { runId } = useParams({ from: '/signed-in/workflows/runs/$runId' });
  const { data: run, error, refetch } = useRun(runId);
  const { mayWrite } = usePermission('workflows');
  if (!run) {
    return (
      <Page title="Run" back={<BackLink to="/workflows">Workflows</BackLink>}>
        {error && <ErrorAlert error={error} title="Couldn't load the run" onRetry={() => void refetch()} />}
        {!error && <Outline of="the run" />}
      </Page>
    );
  }
  return <About run={run} mayWrite={mayWrite} />;
}

function About({ run, mayWrite }: { run: RunDetails; mayWrite: boolean }) {
  const { data: workflow } = useWorkflow(run.workflow_id);
  const isOlder = workflow !== undefined && workflow.version !== run.workflow_version;
  const { data: older } = useVersion(run.workflow_id, run.workflow_version, isOlder);
  const definition = isOlder ? older : workflow;
  const steps = definition?.steps ?? workflow?.steps ?? [];
  const { data: contact } = useContact(run.contact_id);
  const who = contact ? nameOf(contact) : run.contact_id;
  const step = steps.find(({ id }) => id === run.step_id);
  const playback = usePlayback(run.log.length);
  return (
    <Page
      title={`${workflow?.name ?? 'Run'} for ${who}`}
      back={
        <BackLink to="/workflows/$id" params={{ id: run.workflow_id }}>
          {workflow?.name ?? 'Workflow'}
        </BackLink>
      }
      action={mayWrite && <RunActions run={run} />}
    >
      <Stack gap="lg">
        {definition && <RunPath run={run} definition={definition} playback={playback} />}
        <Columns>
          <Panel title="Log">
            <Timeline bulletSize={14} lineWidth={2} active={playback.position - 1}>
              {run.log.map((entry) => (
                <Timeline.Item key={`${entry.sequence} ${entry.event} ${entry.at}`} title={<Text size="sm">{logLabel(entry, steps)}</Text>}>
                  <Text size="xs" c="dimmed">
                    <RelativeTime at={entry.at} />
                  </Text>
                </Timeline.Item>
              ))}
            </Timeline>
          </Panel>
          <Stack gap="lg">
            <Panel title="Run">
              <DescriptionList
                items={{
                  Status: <RunStatus state={run.status} />,
                  Reason: run.reason,
                  Contact: (
                    <TextLink to="/contacts/$id" params={{ id: run.contact_id }}>
                      {who}
                    </TextLink>
                  ),
                  'Current step': isOpen(run.status) ? (step ? stepName(step) : run.step_id) : null,
                  'Waiting for': run.waiting_for,
                  Resumes: run.wake_at && <RelativeTime at={run.wake_at} />,
                  'Started by': begunBy[run.trigger.type] ?? run.trigger.type.replaceAll('_', ' '),
                  Version: run.workflow_version,
                  Started: <RelativeTime at={run.created_at} />,
                  Ended: run.ended_at && <RelativeTime at={run.ended_at} />,
                  ID: <code>{run.id}</code>,
                }}
              />
            </Panel>
            {mayWrite && steps.some(({ type }) => type === 'send') && (
              <RunEmails run={run} steps={steps} log={run.log.slice(0, playback.position)} />
            )}
            {Object.keys(run.data).length > 0 && (
              <Panel title="Data">
                <DescriptionList
                  items={Object.fromEntries(Object.entries(run.data).map(([name, value]) => [name, JSON.stringify(value)]))}
                />
              </Panel>
            )}
          </Stack>
        </Columns>
      </Stack>
    </Page>
  );
}

type PathProps = { run: RunDetails; definition: Workflow | WorkflowVersion; playback: Playback };

/** The path of the run through the version that it is on. */
function RunPath({ run, definition, playback }: PathProps) {
  const named = useStepNames(definition);
  return (
    <Panel title="Path">
      <Player
        label="Path of the run"
        definition={definition}
        named={named}
        log={run.log}
        isCompleted={run.status === 'completed'}
        playback={playback}
      />
    </Panel>
  );
}

function RunActions({ run: { id, status } }: { run: RunDetails }) {
  const { mutate, isPending } = useTransitionRun(id);
  const steer = (steering: RunTransition) =>
    mutate(steering, {
      onError: (error) => notifications.show({ color: 'red', title: `Couldn't ${steering} the run`, message: error.message }),
    });
  return (
    <Group gap="sm">
      {status === 'failed' && (
        <Button loading={isPending} onClick={() => steer('retry')}>
          Retry
        </Button>
      )}
      {isOpen(status) && (
        <Button variant="default" loading={isPending} onClick={() => steer('cancel')}>
          Cancel run
        </Button>
      )}
    </Group>
  );
}
