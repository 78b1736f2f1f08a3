import type { AccountId } from '@mp/ids';
import type { FindUnknownAttributes } from '@mp/service-kit/unknown-attributes';
import type { MessageTemplates } from '@mp/templates/message';
import { asVariant } from './as-variant.ts';
import type { FetchTemplate } from './fetch-template.ts';
import { messageOfStep } from './message-of-step.ts';
import type { Step } from './step.ts';

export type UnknownAttribute = { path: string; stepId: string; key: string };

type Deps = { fetchTemplate: FetchTemplate; findUnknown: FindUnknownAttributes<MessageTemplates> };

export type FindUnknownInSteps = ReturnType<typeof createFindUnknownInSteps>;

/**
 * The attributes that emails of steps read and no contact of the account has ever had; those that a variant shares with its step
 * once. Campaigns is not asked again after it did not reply, because a workflow must be readable and pausable without it.
 */
export const createFindUnknownInSteps =
  ({ fetchTemplate, findUnknown }: Deps) =>
  async (accountId: AccountId, steps: readonly Step[]): Promise<UnknownAttribute[]> => {
    const fetched = whileReplying(fetchTemplate);
    const found: UnknownAttribute[] = [];
    for (const [index, step] of steps.entries()) {
      if (step.type !== 'send') continue;
      const emails = [
        { path: `/steps/${index}`, sent: step },
        ...(step.variants ?? []).map((variant, number) => ({ path: `/steps/${index}/variants/${number}`, sent: asVariant(step, variant) })),
      ];
      const named = new Set<string>();
      for (const { path, sent } of emails) {
        const one = await messageOfStep(fetched, accountId, sent);
        const unknown = 'problem' in one ? [] : await findUnknown(accountId, [one.message]);
        for (const key of unknown.filter((key) => !named.has(key))) found.push({ path, stepId: step.id, key });
        for (const key of unknown) named.add(key);
      }
    }
    return found;
  };

function whileReplying(fetchTemplate: FetchTemplate): FetchTemplate {
  let replies = true;
  return async (accountId, id) => {
    if (!replies) throw new Error('Campaigns did not reply.');
    return fetchTemplate(accountId, id).catch((error: unknown) => {
      replies = false;
      throw error;
    });
  };
}
