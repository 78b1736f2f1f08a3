import type { Definition } from './definition.ts';
import { readsMore } from './occurrence.ts';
import { occurrencesOf } from './occurrences-of.ts';
import type { Problem } from './problem.ts';

/** What is wrong with the conditions that runs wait for. Every problem has the path of its condition. */
export const occurrenceProblems = (definition: Pick<Definition, 'steps' | 'exit_when'>): Problem[] =>
  occurrencesOf(definition).flatMap(({ path, occurrence }): Problem[] => {
    const [part, index] = path;
    const step = part === 'steps' ? definition.steps[Number(index)] : undefined;
    const place = step ? `The step ${step.id}` : 'exit_when';
    if (occurrence.type === 'field' && readsMore(occurrence.when)) {
      const message = `${place}: a \`field\` condition can only read fields of the contact; use \`event\` or \`segment_entered\` for the rest.`;
      return [{ path: [...path, 'when'], code: 'unsupported_rule', message }];
    }
    const sent = 'step_id' in occurrence ? occurrence.step_id : undefined;
    if (sent === undefined || definition.steps.some(({ id, type }) => id === sent && type === 'send')) return [];
    return [{ path: [...path, 'step_id'], code: 'unknown_step', message: `${place}: ${sent} is not a \`send\` step of this workflow.` }];
  });
