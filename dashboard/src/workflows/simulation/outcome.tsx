import { Alert, Text, Timeline } from '@mantine/core';
import { Metric, Metrics } from '../../numbers/metric.tsx';
import { Panel } from '../../page/panel.tsx';
import { durationLabel } from '../../time/duration.ts';
import { absolute } from '../../time/relative.ts';
import { logLabel, stepName } from '../step-labels.ts';
import { RunStatus } from '../workflow-status.tsx';
import { isOpen, type Simulated, type WorkflowStep } from '../workflows.ts';
import classes from './outcome.module.css';
import { sinceStart } from './playback.ts';

type Props = {
  simulation: Simulated;
  steps: readonly WorkflowStep[];
  named: (id: string) => string;
  /** How much of the log the player has shown. */
  position: number;
  /** The maximum duration of the simulation. */
  longest: string;
};

/** The simulated path and its effects, with the time since the start. */
export function SimulationOutcome({ simulation, steps, named, position, longest }: Props) {
  const { warnings, status, reason, ended_at, log, messages, changes, members, webhooks, tracked, started, notifications } = simulation;
  const began = log[0]?.at ?? new Date().toISOString();
  const later = (at: string) => sinceStart(began, at);
  const nameOf = (id: string) => {
    const step = steps.find((one) => one.id === id);
    return step ? stepName(step) : id;
  };
  const effects = [
    ...messages.map(({ at, step_id, subject, from }) => ({ at, step_id, what: `Email “${subject}” from ${from.email}` })),
    ...changes.map(({ at, step_id, change }) => ({ at, step_id, what: changeLabel(change) })),
    ...members.map(({ at, step_id, segment_id, to }) => ({
      ...{ at, step_id },
      what: `${to === 'inside' ? 'Add to' : 'Remove from'} ${named(segment_id)}`,
    })),
    ...notifications.map(({ at, step_id, user_id, subject }) => ({ at, step_id, what: `Email “${subject}” to ${named(user_id)}` })),
    ...tracked.map(({ at, step_id, event }) => ({ at, step_id, what: `Track the event ${event}` })),
    ...started.map(({ at, step_id, workflow_id }) => ({ at, step_id, what: `Start ${named(workflow_id)}` })),
    ...webhooks.map(({ at, step_id, method, url }) => ({ at, step_id, what: `${method} ${url}` })),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));

  return (
    <>
      {warnings.map(({ code, message }) => (
        <Alert key={code} color="yellow" role="note">
          {message}
        </Alert>
      ))}
      <Metrics label="Outcome">
        <Metric
          label="Status"
          value={<RunStatus state={status} />}
          under={reason ?? (isOpen(status) ? `Still active after ${durationLabel(longest)}` : undefined)}
        />
        <Metric label="Ends" value={ended_at ? later(ended_at) : '–'} />
      </Metrics>
      <Panel title="Path">
        <Timeline bulletSize={14} lineWidth={2} active={position - 1} aria-label="Path">
          {log.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a log is never reordered.
            <Timeline.Item key={index} title={<Text size="sm">{logLabel(entry, steps)}</Text>}>
              <Text size="xs" c="dimmed" title={absolute(entry.at)}>
                {later(entry.at)}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      </Panel>
      <Panel title="Effects">
        {effects.length === 0 && (
          <Text size="sm" c="dimmed">
            None
          </Text>
        )}
        <ul className={classes.effects} aria-label="Effects">
          {effects.map(({ at, step_id, what }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: effects are never reordered.
            <li key={index}>
              {what}
              <span>
                {nameOf(step_id)}, {later(at)}
              </span>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function changeLabel({ type, ...rest }: Simulated['changes'][number]['change']): string {
  if (type === 'add_tag') return `Add the tag “${String(rest.tag)}”`;
  if (type === 'remove_tag') return `Remove the tag “${String(rest.tag)}”`;
  return `Set ${Object.entries(Object(rest.members))
    .map(([field, value]) => `${field} to ${JSON.stringify(value)}`)
    .join(', ')}`;
}
