import type { AccountId } from '@mp/ids';
import type { MessageTemplates } from '@mp/templates/message';
import type { Message } from '../runs/run.ts';
import type { FetchTemplate } from './fetch-template.ts';
import type { Problem } from './problem.ts';
import type { Step } from './step.ts';

/** The content of a template, of which a step can replace the subject and the preview text. */
type Content = Omit<MessageTemplates, 'subject'> & { subject: string | null };

/** What is rendered for a message: its own content, or that of its template. */
export const templatesOf = ({ subject, preview_text, html, text }: Message, content?: Content): MessageTemplates => ({
  subject: subject ?? content?.subject ?? '',
  preview_text: preview_text ?? content?.preview_text ?? null,
  html: html ?? content?.html ?? '',
  text: text ?? content?.text ?? null,
});

type SendStep = Step & { type: 'send' };

/** The unrendered message of a step. */
export const messageOf = (step: SendStep): Message => ({
  ...(step.template_id !== undefined && { template_id: step.template_id }),
  subject: step.subject ?? null,
  preview_text: step.preview_text ?? null,
  from: { email: step.from.email, name: step.from.name ?? null },
  reply_to: step.reply_to ?? null,
  html: step.html ?? null,
  text: step.text ?? null,
  track: { opens: step.track?.opens ?? true, clicks: step.track?.clicks ?? true },
});

/**
 * The message of a step with the content of its template, or what is wrong with that. While campaigns is unavailable, only the
 * step's own parts are known.
 */
export async function messageOfStep(
  fetchTemplate: FetchTemplate,
  accountId: AccountId,
  step: SendStep,
): Promise<{ message: MessageTemplates } | { problem: Problem }> {
  const message = messageOf(step);
  const { template_id } = message;
  const template = template_id === undefined ? undefined : await fetchTemplate(accountId, template_id).catch(() => undefined);
  if (template === undefined) return { message: templatesOf(message) };
  const problem = (code: string, why: string, field = 'template_id') => ({
    problem: { path: [field], code, message: `The step ${step.id}: ${why}.` },
  });
  if (template === null) return problem('unknown_template', `the account has no template ${template_id}`);
  const { content } = template;
  if (content === null) return problem('too_large', `the template ${template_id} is too large for a workflow`);
  if (!message.subject && !content.subject)
    return problem('required', 'its template has no subject; set the subject of the step', 'subject');
  return { message: templatesOf(message, content) };
}
