import { ApiError, invalid } from '@mp/contracts/errors';
import type { AccountId, TemplateId } from '@mp/ids';
import type { Campaign } from '../campaigns/campaign.ts';
import { isEditable } from '../campaigns/campaign-states.ts';
import type { Template } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

export type WithTemplate = ReturnType<typeof createWithTemplate>;

/** The template of a campaign or a message. Throws VALIDATION_ERROR if it does not exist. */
export const findTemplate = (templates: TemplatesStore, accountId: AccountId, id: TemplateId): Promise<Template> =>
  templates.get(accountId, id).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND')
      throw invalid('/template_id', 'unknown_template', 'No template has this ID.');
    throw error;
  });

/** A draft with the current content of its template, if it names one. Other campaigns already have their content. */
export const createWithTemplate =
  (templates: TemplatesStore) =>
  async (accountId: AccountId, campaign: Campaign): Promise<Campaign> => {
    if (campaign.template_id === null || !isEditable(campaign.status)) return campaign;
    const { html, mjml, text, version } = await findTemplate(templates, accountId, campaign.template_id);
    return { ...campaign, html, mjml, text, template_version: version };
  };
