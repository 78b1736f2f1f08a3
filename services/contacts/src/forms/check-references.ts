import { invalid } from '@mp/contracts/errors';
import { CampaignTemplate } from '@mp/contracts/requests/campaigns';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { requireStaticSegment } from '../segments/segment-members.ts';
import type { Form } from './form.ts';

export type CheckReferences = ReturnType<typeof createCheckReferences>;

/**
 * Checks what a form refers to in other services, as far as it differs from `before`. Throws VALIDATION_ERROR, and SERVICE_UNAVAILABLE
 * if the service does not reply.
 */
export const createCheckReferences =
  (broker: Pick<Broker, 'request'>) =>
  async (accountId: AccountId, { segment_id, double_opt_in: { template_id } }: Form, before?: Form): Promise<void> => {
    if (segment_id !== null && segment_id !== before?.segment_id) await requireStaticSegment(broker, accountId, segment_id, '/segment_id');
    if (template_id === null || template_id === before?.double_opt_in.template_id) return;
    const path = '/double_opt_in/template_id';
    const { template } = await broker.request(CampaignTemplate, { account_id: accountId, template_id });
    if (!template) throw invalid(path, 'unknown_template', 'No template has this ID.');
    const { content } = template;
    if (content === null) return;
    if (!`${content.html}${content.text ?? ''}`.includes('data.confirm_url'))
      throw invalid(path, 'no_confirm_link', 'The template lacks the link {{ data.confirm_url }}, without which nobody can confirm.');
    if (!content.subject) throw invalid(path, 'no_subject', 'The template has no subject; a confirmation email needs one.');
  };
