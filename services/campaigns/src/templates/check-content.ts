import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Campaign } from '../campaigns/campaign.ts';
import type { CompileContent } from './compile-content.ts';
import type { TemplatesStore } from './templates-store.ts';
import { findTemplate } from './with-template.ts';

export type CheckContent = ReturnType<typeof createCheckContent>;

/**
 * A campaign with its MJML compiled, or with the subject of its template if it has none. Throws VALIDATION_ERROR if its
 * content, or that of its template, is not valid. `before` is the campaign before the change.
 */
export const createCheckContent =
  (compileContent: CompileContent, templates: TemplatesStore) =>
  async (accountId: AccountId, campaign: Campaign, before?: Campaign): Promise<Campaign> => {
    if (campaign.template_id === null) return compileContent(accountId, campaign, { ...(before && { before }) });
    const template = await findTemplate(templates, accountId, campaign.template_id);
    const subject = campaign.subject || template.subject;
    if (!subject) throw invalid('/subject', 'required', 'The template has no subject; set the subject of the campaign.');
    const preview_text = campaign.preview_text ?? (before ? null : template.preview_text);
    const { html, mjml, text } = template;
    await compileContent(accountId, { subject, preview_text, html, mjml, text }, { before: template });
    return { ...campaign, subject, preview_text };
  };
