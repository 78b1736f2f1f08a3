import type { Definition } from '../definition.ts';
import { pathsOf, stepOf } from '../edits/graph.ts';

/** The placeholders of what webhooks on some path to this step keep of their responses. */
export const capturedTags = (definition: Pick<Definition, 'steps'>, stepId: string): string[] =>
  capturedFields(definition, stepId).map((field) => `{{ ${field} }}`);

export function capturedFields(definition: Pick<Definition, 'steps'>, stepId: string): string[] {
  return definition.steps.flatMap((step) => {
    const names = step.type === 'webhook' ? Object.keys(step.capture ?? {}) : [];
    return names.length > 0 && leadsTo(definition, step.id, stepId) ? names.map((name) => `responses.${step.id}.${name}`) : [];
  });
}

/** Whether a run that leaves one step can reach the other. */
function leadsTo(definition: Pick<Definition, 'steps'>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const onward = (id: string) => {
    const step = stepOf(definition, id);
    return step ? pathsOf(step).filter((path) => path !== null) : [];
  };
  const pending = onward(from);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    pending.push(...onward(id));
  }
  return false;
}
