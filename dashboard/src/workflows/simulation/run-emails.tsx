import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../../api/api.ts';
import { ErrorAlert } from '../../api/error-alert.tsx';
import { stepName } from '../step-words.ts';
import type { RunDetails, WorkflowStep } from '../workflows.ts';
import { Emails, OpenedEmail } from './emails.tsx';
import type { LogEntry } from './playback.ts';
import { sentVariant } from './sent-variant.ts';

type SendStep = WorkflowStep & { type: 'send' };
type Email = { step: SendStep; step_id: string; at: string; subject: string; variant?: string };
type Props = { run: RunDetails; steps: readonly WorkflowStep[]; log: readonly LogEntry[] };

/** The emails that a run has sent by the end of this part of its log, rendered again with the contact's data of today. */
export function RunEmails({ run, steps, log }: Props) {
  const emails = log.flatMap(({ step_id, event, at, text }): Email[] => {
    const sender = steps.find((one) => one.id === step_id);
    if (event !== 'done' || sender?.type !== 'send') return [];
    const { variant, ...step } = sentVariant(sender, text);
    return [{ step, step_id: step.id, at, subject: step.subject ?? stepName(step), ...(variant !== undefined && { variant }) }];
  });
  return (
    <Emails emails={emails} began={run.created_at} steps={steps}>
      {({ step, at }) => <RunEmail run={run} step={step} at={at} />}
    </Emails>
  );
}

function RunEmail({ run, step, at }: { run: RunDetails; step: SendStep; at: string }) {
  const { data, error } = useRendered(run, step);
  if (error) return <ErrorAlert error={error} title="Couldn't load the email" />;
  if (!data) return <Skeleton height={320} role="status" aria-label="Loading the email" />;
  const from = { email: step.from.email, name: step.from.name ?? null };
  return <OpenedEmail email={{ ...data, at, from }} note="With the contact's current data." />;
}

function useRendered({ contact_id, data }: RunDetails, step: SendStep) {
  const api = useApi();
  const { template_id: id, subject, preview_text, html, text } = step;
  return useQuery({
    queryKey: ['run-email', contact_id, data, step],
    queryFn: ({ signal }) =>
      responseData(
        id === undefined
          ? api.POST('/v2/campaigns/preview', {
              body: {
                ...{ contact_id, data },
                ...(subject !== undefined && { subject }),
                ...(preview_text !== undefined && { preview_text }),
                ...(html !== undefined && { html }),
                ...(text !== undefined && { text }),
              },
              signal,
            })
          : api.POST('/v2/campaigns/templates/{id}/preview', { params: { path: { id } }, body: { contact_id, data }, signal }),
      ),
    retry: false,
    gcTime: 60_000,
  });
}
