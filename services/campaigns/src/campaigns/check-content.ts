import type { AccountId } from '@mp/ids';
import { everyVersion } from '../ab-tests/ab-test.ts';
import type { CompileContent } from '../content/templates/compile-content.ts';
import { findTemplate } from '../content/templates/find-template.ts';
import type { RequireValidTemplates } from '../content/templates/require-valid-templates.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { Campaign } from './campaign.ts';
import { withFieldsOf } from './follow-templates.ts';
import { noSubject } from './with-template.ts';

export type CheckContent = ReturnType<typeof createCheckContent>;

/**
 * A campaign with its MJML compiled, or with the fields of its template that it does not override. Throws VALIDATION_ERROR if its
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
    const draft = withFieldsOf(campaign, template);
    if (draft.subject === '') throw noSubject();
    const { html, mjml, text } = template;
    const content = { ...draft, html, mjml, text };
    await compileContent(accountId, content, { before: template });
    await requireValidVariants(accountId, content);
    return draft;
  };
}
