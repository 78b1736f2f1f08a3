import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { everyVersion } from '../ab-tests/ab-test.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import type { CompileContent } from './compile-content.ts';
import type { RequireValidTemplates } from './require-valid-templates.ts';
import type { TemplatesStore } from './templates-store.ts';
import { findTemplate } from './with-template.ts';

export type CheckContent = ReturnType<typeof createCheckContent>;

/**
 * A campaign with its MJML compiled, or with the subject of its template if it has none. Throws VALIDATION_ERROR if its
 * content, that of a variant, or that of its template, is not valid. `before` is the campaign before the change.
 */
export function createCheckContent(
  compileContent: CompileContent,
  requireValidTemplates: RequireValidTemplates,
  templates: TemplatesStore,
) {
  const requireValidVariants = async (accountId: AccountId, campaign: Campaign) => {
    for (const { path, version } of everyVersion(campaign).slice(1)) await requireValidTemplates(accountId, version, { prefix: path });
  };

  return async (accountId: AccountId, campaign: Campaign, before?: Campaign): Promise<Campaign> => {
    if (campaign.template_id === null) {
      const compiled = await compileContent(accountId, campaign, { ...(before && { before }) });
      await requireValidVariants(accountId, compiled);
      return compiled;
    }
    const template = await findTemplate(templates, accountId, campaign.template_id);
    const subject = campaign.subject || template.subject;
    if (!subject) throw invalid('/subject', 'required', 'The template has no subject; set the subject of the campaign.');
    const preview_text = campaign.preview_text ?? (before ? null : template.preview_text);
    const { html, mjml, text } = template;
    await compileContent(accountId, { subject, preview_text, html, mjml, text }, { before: template });
    await requireValidVariants(accountId, { ...campaign, subject, preview_text, html, text });
    return { ...campaign, subject, preview_text };
  };
}
