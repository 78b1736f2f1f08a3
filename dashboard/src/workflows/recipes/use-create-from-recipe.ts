import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../../api/api.ts';
import { existingIdIn } from '../../api/errors.ts';
import type { Brand } from '../../brand/brand.ts';
import { starters } from '../../email-design/starters.ts';
import { segmentStarters } from '../../segments/segment-starters.ts';
import type { DefaultSender } from '../../sending/sending-settings.ts';
import { newDraft, templateOf } from '../../templates/template-draft.ts';
import type { NewWorkflow } from '../workflows.ts';
import type { Recipe, RecipeStep } from './recipes.ts';

type Parts = { brand: Brand; sender: DefaultSender; userId: string };

const known = <T extends { id: string }>(all: readonly T[], id: string): T => {
  const found = all.find((one) => one.id === id);
  if (!found) throw new Error(`There is no starter ${id}.`);
  return found;
};

/**
 * Creates the templates and the segment of a recipe, then its workflow as a draft; without a segment, the workflow is left to the editor
 * and has no ID. What already has the name, from an attempt that failed or from the same recipe before, is used as it is.
 */
export function useCreateFromRecipe(parts: Parts) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (recipe: Recipe): Promise<{ id?: string; workflow: NewWorkflow }> => {
      const templates = new Map<string, string>();
      for (const step of recipe.steps)
        if (step.type === 'send' && !templates.has(step.email))
          templates.set(step.email, await idOf(createTemplate(api, parts.brand, recipe, step.email)));
      const { id, describes, starts, steps, trigger, ...rest } = recipe;
      const isChosen = 'segment' in trigger && trigger.segment === null;
      const segment_id = 'segment' in trigger && trigger.segment !== null ? await idOf(createSegment(api, trigger.segment)) : '';
      const workflow: NewWorkflow = {
        ...rest,
        entry: rest.entry ?? { policy: 'once' },
        description: describes,
        status: 'draft',
        trigger: 'segment' in trigger ? { type: 'segment_entered', segment_id } : trigger,
        steps: steps.map((step) => stepOf(step, templates, parts)),
      };
      if (isChosen) return { workflow };
      const { id: workflowId } = await responseData(api.POST('/v2/workflows', { body: workflow }));
      return { id: workflowId, workflow };
    },
    onSuccess: () => queries.invalidateQueries(),
  });
}

/** The ID of what is created, or of what already has its name. */
async function idOf(created: Promise<{ id: string }>): Promise<string> {
  try {
    return (await created).id;
  } catch (error) {
    const existing = existingIdIn(error);
    if (existing === undefined) throw error;
    return existing;
  }
}

const createTemplate = (api: Api, brand: Brand, { name }: Recipe, starterId: string) => {
  const starter = known(starters, starterId);
  const template = { ...templateOf(newDraft(brand, starter)), name: `${name}: ${starter.name}` };
  return responseData(api.POST('/v2/campaigns/templates', { body: template }));
};

const createSegment = (api: Api, starterId: string) => {
  const { name, describes, definition } = known(segmentStarters, starterId);
  return responseData(api.POST('/v2/segments', { body: { name, description: describes, definition } }));
};

function stepOf(step: RecipeStep, templates: ReadonlyMap<string, string>, { sender, userId }: Parts): NewWorkflow['steps'][number] {
  if (step.type === 'notify') return { ...step, user_id: userId };
  if (step.type !== 'send') return step;
  const { email, ...rest } = step;
  const from = { email: sender.email, name: sender.name };
  return { ...rest, template_id: templates.get(email) ?? '', from, ...(sender.reply_to && { reply_to: sender.reply_to }) };
}
