import { ApiError, invalid } from '@mp/contracts/errors';
import type { AccountId, TemplateId } from '@mp/ids';
import type { Template } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

/** The template of a campaign or a message. Throws VALIDATION_ERROR if it does not exist. */
export const findTemplate = (templates: TemplatesStore, accountId: AccountId, id: TemplateId): Promise<Template> =>
  templates.get(accountId, id).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND')
      throw invalid('/template_id', 'unknown_template', 'No template has this ID.');
    throw error;
  });
