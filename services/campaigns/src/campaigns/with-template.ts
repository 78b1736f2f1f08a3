import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { findTemplate } from '../content/templates/find-template.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { Campaign } from './campaign.ts';
import { isEditable } from './campaign-states.ts';
import { withFieldsOf } from './follow-templates.ts';

export type WithTemplate = ReturnType<typeof createWithTemplate>;

export const noSubject = () => invalid('/subject', 'required', 'The template has no subject; set the subject of the campaign.');

/**
 * What changes in the content of a campaign that becomes a draft: its template is read again when it is sent. If the template no
 * longer exists, the draft keeps the content that was taken from it.
 */
export async function contentOfDraft(
  templates: Pick<TemplatesStore, 'lock'>,
  tx: Transaction,
  accountId: AccountId,
  { template_id }: Pick<Campaign, 'template_id'>,
) {
  if (template_id === null) return {};
  const exists = await templates.lock(tx, accountId, template_id);
  return { template_version: null, ...(exists ? { html: '', mjml: null, text: null } : { template_id: null, overrides: [] }) };
}

/**
 * A draft with the current content of its template, if it names one. Other campaigns already have their content. Throws
 * VALIDATION_ERROR if neither has a subject.
 */
export const createWithTemplate =
  (templates: TemplatesStore) =>
  async (accountId: AccountId, campaign: Campaign): Promise<Campaign> => {
    if (campaign.template_id === null || !isEditable(campaign.status)) return campaign;
    const template = await findTemplate(templates, accountId, campaign.template_id);
    const { html, mjml, text, version } = template;
    const draft = withFieldsOf(campaign, template);
    if (draft.subject === '') throw noSubject();
    return { ...draft, html, mjml, text, template_version: version };
  };
