import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../../api/api.ts';
import { ErrorAlert } from '../../api/error-alert.tsx';
import { Outline } from '../../api/outline.tsx';
import { stepName } from '../step-labels.ts';
import type { RunDetails, WorkflowStep } from '../workflows.ts';
import { Emails, OpenedEmail } from './emails.tsx';
import { sentVariant } from './sent-variant.ts';

type SendStep = WorkflowStep & { type: 'send' };
type Email = { step: SendStep; step_id: string; at: string; requested_at: string; subject: string; variant?: string };
type Props = { run: RunDetails; steps: readonly WorkflowStep[]; log: RunDetails['log'] };

/** The emails that a run has sent by the end of this part of its log, rendered again with the contact's data of today. */
export function RunEmails({ run, steps, log }: Props) {
  const emails = log.flatMap(({ step_id, event, at, text, effect_key }): Email[] => {
    const sender = steps.find((one) => one.id === step_id);
    if (event !== 'done' || sender?.type !== 'send') return [];
    const { variant, ...step } = sentVariant(sender, text);
    const requested = log.find((one) => one.event === 'requested' && one.effect_key === effect_key);
    return [
      {
        ...{ step, step_id: step.id, at, requested_at: requested?.at ?? at },
        ...{ subject: step.subject ?? stepName(step), ...(variant !== undefined && { variant }) },
      },
    ];
  });
  return (
    <Emails emails={emails} began={run.created_at} steps={steps}>
      {(email) => <RunEmail run={run} email={email} />}
    </Emails>
  );
}

function RunEmail({ run, email }: { run: RunDetails; email: Email }) {
  const { step, at } = email;
  const { data, error } = useRendered(run, email);
  if (error) return <ErrorAlert error={error} title="Couldn't load the email" />;
  if (!data) return <Outline of="the email" shape="email" />;
  const from = { email: step.from.email, name: step.from.name ?? null };
  return <OpenedEmail email={{ ...data, at, from }} note={step.template_id === undefined ? current : `${current} ${ofTemplate}`} />;
}

const current = "With the contact's current data.";
const ofTemplate = 'The template is the version of the time when the email was requested.';

function useRendered({ contact_id, data, responses }: RunDetails, { step, requested_at: as_of }: Email) {
  const api = useApi();
  const { template_id: id, subject, preview_text, html, text } = step;
  return useQuery({
    queryKey: ['run-email', contact_id, data, responses, step, as_of],
    queryFn: ({ signal }) =>
      responseData(
        id === undefined
          ? api.POST('/v2/campaigns/preview', {
              body: {
                ...{ contact_id, data, responses },
                ...(subject !== undefined && { subject }),
                ...(preview_text !== undefined && { preview_text }),
                ...(html !== undefined && { html }),
                ...(text !== undefined && { text }),
              },
              signal,
            })
          : api.POST('/v2/campaigns/templates/{id}/preview', {
              params: { path: { id } },
              body: { contact_id, data, responses, as_of },
              signal,
            }),
      ),
    retry: false,
    gcTime: 60_000,
  });
}
