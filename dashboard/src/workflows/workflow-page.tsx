import { Button, Group, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { Outline } from '../api/outline.tsx';
import { EmailMetrics } from '../campaigns/email-metrics.tsx';
import { CommentsPanel } from '../comments/comments-panel.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { ChoiceChip, Toolbar } from '../lists/chips.tsx';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count } from '../numbers/format-number.ts';
import { LinkedMetric, Metric, Metrics } from '../numbers/metric.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { EmailReport } from '../report-emails/email-report.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { Canvas, loadCanvas } from './canvas/lazy-canvas.tsx';
import { HookPanel } from './hook-panel.tsx';
import { entryLabels, goalTimeLabel, stepName } from './step-labels.ts';
import { useStepNames } from './step-names.ts';
import { ExportReport, StepReport, WorkflowBuyers } from './step-report.tsx';
import { TriggerWorkflow } from './trigger-workflow.tsx';
import { useSkippedEmails } from './use-skipped-emails.ts';
import { WorkflowActions } from './workflow-actions.tsx';
import { WorkflowApproval } from './workflow-approval.tsx';
import { WorkflowNotices } from './workflow-notices.tsx';
import { capital, RunStatus, runStates, WorkflowStatus } from './workflow-status.tsx';
import { WorkflowTabs } from './workflow-tabs.tsx';
import {
  type RunState,
  useRuns,
  useWorkflow,
  useWorkflowAnalytics,
  useWorkflowEmails,
  type Workflow,
  type WorkflowDetails,
  type WorkflowRun,
} from './workflows.ts';

// While the workflow is loaded, so that its canvas takes no other place afterwards.
void loadCanvas();

export function WorkflowPage() {
  const { id } = useParams({ from: '/signed-in/workflows/$id' });
  const query = useWorkflow(id);
  const { data: workflow } = query;
  const { mayWrite } = usePermission('workflows');
  return (
    <Page
      title={workflow?.name ?? 'Workflow'}
      describes={workflow?.description}
      back={<BackLink to="/workflows">Workflows</BackLink>}
      action={workflow && mayWrite && <WorkflowActions workflow={workflow} />}
    >
      <WorkflowTabs id={id} />
      <Loaded of="the workflow" shape="report" query={query}>
        {(loaded) => <About workflow={loaded} mayWrite={mayWrite} />}
      </Loaded>
    </Page>
  );
}

function About({ workflow, mayWrite }: { workflow: WorkflowDetails; mayWrite: boolean }) {
  const { data: analytics } = useWorkflowAnalytics(workflow.id);
  const { data: emails, isLoading: isLoadingEmails } = useWorkflowEmails(workflow);
  const named = useStepNames(workflow);
  const [stepId, setStepId] = useState<string | null>(null);
  const { seesSettings } = usePermission();
  const counts = analytics?.counts;
  const skipped = useSkippedEmails(workflow, emails?.counts.skipped ?? 0);
  const [isTable, setTable] = useState(false);
  const actions = !!counts?.entered && (
    <Group gap="sm">
      <Button variant="default" size="xs" onClick={() => setTable(!isTable)}>
        {isTable ? 'Show on canvas' : 'Show as table'}
      </Button>
      <EmailReport subject={{ workflow_id: workflow.id }} />
      <ExportReport workflow={workflow} />
    </Group>
  );
  const hasGoal = workflow.steps.some(({ type }) => type === 'goal');
  return (
    <Stack gap="lg">
      <WorkflowNotices warnings={workflow.warnings} last_failure={workflow.last_failure} enrollment={workflow.enrollment} />
      <WorkflowApproval workflow={workflow} />
      <Metrics label="At a glance">
        <Metric label="Entered" value={counts && count(counts.entered)} under={entryLabels[workflow.entry.policy]} />
        <Metric label="In progress" value={counts && count(counts.open)} />
        <Metric label="Completed" value={counts && count(counts.completed)} />
        {(hasGoal || !!counts?.converted) && (
          <Metric label="Converted" value={counts && count(counts.converted)} under={goalTimeLabel(analytics?.seconds_to_goal)} />
        )}
        <Metric label="Failed" value={counts && count(counts.failed)} />
        <Metric label="Status" value={<WorkflowStatus status={workflow.status} />} />
        <LinkedMetric
          to="/workflows/$id/versions"
          params={{ id: workflow.id }}
          label="Version"
          value={count(workflow.version)}
          under={workflow.version > 1 ? 'see changes' : 'first version'}
        />
      </Metrics>
      {isTable ? (
        <StepReport workflow={workflow} counts={analytics?.steps ?? []} entered={counts?.entered} emails={emails} action={actions} />
      ) : (
        <Panel title="Steps" action={actions}>
          <Canvas
            label="Steps"
            definition={workflow}
            named={named}
            counts={new Map((analytics?.steps ?? []).map((step) => [step.step_id, step]))}
            emails={new Map(emails?.steps.map((step) => [step.step_id, step.counts]))}
            entered={counts?.entered}
            selected={stepId}
            onSelect={setStepId}
            skipped={skipped}
          />
        </Panel>
      )}
      {isLoadingEmails && workflow.activated_at !== null && <Outline of="the emails" shape="metrics" count={5} />}
      <EmailMetrics analytics={emails} />
      {!!emails?.counts.attempted && <WorkflowBuyers workflow={workflow} />}
      {seesSettings && workflow.trigger.type === 'webhook_received' && <HookPanel id={workflow.id} />}
      {mayWrite && workflow.status === 'active' && (
        <Panel title="Enroll a contact">
          <TriggerWorkflow id={workflow.id} />
        </Panel>
      )}
      <Runs workflow={workflow} stepId={stepId} onStep={setStepId} />
      <CommentsPanel resource_type="workflow" resource_id={workflow.id} />
    </Stack>
  );
}

type RunsProps = {
  workflow: Workflow;
  /** Only runs that are at this step, or ended there. */
  stepId: string | null;
  onStep: (stepId: string | null) => void;
};

function Runs({ workflow, stepId, onStep }: RunsProps) {
  const [state, setState] = useState<RunState>();
  const runs = useRuns(workflow.id, { state, step_id: stepId ?? undefined });
  const nameOfStep = (id: string | null) => {
    const step = workflow.steps.find((one) => one.id === id);
    return step ? stepName(step) : id && 'Removed step';
  };
  const columns: readonly Column<WorkflowRun>[] = [
    {
      name: 'Contact',
      width: 'minmax(0, 2fr)',
      cell: ({ id, contact_id }) => (
        <RowLink to="/workflows/runs/$runId" params={{ runId: id }}>
          <ContactName id={contact_id} />
        </RowLink>
      ),
    },
    { name: 'Status', width: '130px', cell: (run) => <RunStatus state={run.status} /> },
    { name: 'Step', width: 'minmax(0, 1.2fr)', wideOnly: true, cell: ({ step_id, reason }) => reason ?? nameOfStep(step_id) },
    { name: 'Resumes', width: '138px', wideOnly: true, cell: ({ wake_at }) => wake_at && <RelativeTime at={wake_at} /> },
    { name: 'Started', width: '138px', wideOnly: true, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
  return (
    <Panel title="Runs">
      <Stack gap="md">
        <Toolbar>
          <ChoiceChip
            label="Status"
            choices={runStates.map((value) => ({ value, label: capital(value) }))}
            value={state}
            onChange={(value) => setState(runStates.find((one) => one === value))}
          />
          <ChoiceChip
            label="At step"
            choices={workflow.steps.map((step) => ({ value: step.id, label: stepName(step) }))}
            value={stepId ?? undefined}
            onChange={(value) => onStep(value || null)}
          />
        </Toolbar>
        <ListView
          of="runs"
          list={runs}
          columns={columns}
          keyOf={({ id }) => id}
          empty={
            <Text size="sm" c="dimmed">
              {state || stepId ? 'No runs match these filters.' : 'No contacts have entered yet.'}
            </Text>
          }
        />
      </Stack>
    </Panel>
  );
}
