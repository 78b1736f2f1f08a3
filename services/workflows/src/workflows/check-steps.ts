import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Problem } from '@mp/templates/message';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import { messageOf } from '../runs/effect-of.ts';
import type { Definition } from './definition.ts';
import { definitionProblems } from './definition-problems.ts';
import { occurrenceProblems } from './occurrence-problems.ts';

const maxDetails = 50;

export type CheckSteps = ReturnType<typeof createCheckSteps>;

type Deps = { templates: Pick<Templates, 'check'>; allowPrivate: boolean };

/** Throws VALIDATION_ERROR with the path of each step that is inconsistent with the others or whose message cannot be rendered. */
export function createCheckSteps({ templates, allowPrivate }: Deps) {
  return async function checkSteps(accountId: AccountId, { steps, exit_when }: Pick<Definition, 'steps' | 'exit_when'>) {
    const inSteps = definitionProblems(steps, { allowPrivate }).map((one) => ({ ...one, path: ['steps', ...one.path] }));
    const problems = [...inSteps, ...occurrenceProblems({ steps, exit_when })];
    const [first] = problems;
    if (first) {
      const details = problems.slice(0, maxDetails).map(({ path, code, message }) => ({ path: `/${path.join('/')}`, code, message }));
      throw new ApiError('VALIDATION_ERROR', first.message, { details });
    }
    const faults: Problem[] = [];
    for (const [index, step] of steps.entries()) {
      if (step.type !== 'send') continue;
      // Messages of workflows can read `data`, the data of the run.
      const message = { accountId, templates: messageOf(step), data: true };
      const found = await templates.check(message);
      faults.push(...found.map((fault) => ({ ...fault, path: `/steps/${index}${fault.path}` })));
    }
    const error = problemError(faults.slice(0, maxDetails));
    if (error) throw error;
  };
}
