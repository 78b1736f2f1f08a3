import type { AccountId } from '@mp/ids';
import type { PinnedTemplate } from '@mp/service-kit/approvals-store';
import type { FetchTemplate } from '../fetch-template.ts';
import type { Step } from '../step.ts';

export type FindTemplateVersions = ReturnType<typeof createFindTemplateVersions>;

/** The current version of each template that these steps send. Throws SERVICE_UNAVAILABLE when campaigns does not reply. */
export const createFindTemplateVersions = (fetchTemplate: FetchTemplate) => async (accountId: AccountId, steps: readonly Step[]) => {
  const sends = steps.flatMap((step) => (step.type === 'send' ? [step, ...(step.variants ?? [])] : []));
  const ids = new Set(sends.flatMap(({ template_id }) => template_id ?? []));
  const found: PinnedTemplate[] = [];
  // One after the other, so that the memory never holds more than one template.
  for (const template_id of [...ids].sort()) {
    const template = await fetchTemplate(accountId, template_id);
    if (template) found.push({ template_id, version: template.version });
  }
  return found;
};
