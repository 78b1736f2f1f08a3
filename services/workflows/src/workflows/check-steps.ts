import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { mayReadCoupons } from '@mp/templates/coupons';
import type { Problem } from '@mp/templates/message';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import { asVariant } from './as-variant.ts';
import { capturedBefore } from './captured-before.ts';
import type { Definition } from './definition.ts';
import { definitionProblems } from './definition-problems.ts';
import type { FetchCouponNames, FetchTemplate } from './fetch-template.ts';
import { messageOfStep } from './message-of-step.ts';
import type { FindMissingUsers } from './missing-users.ts';
import { occurrenceProblems } from './occurrence-problems.ts';
import type { FindRefusedChanges } from './refused-changes.ts';

const maxDetails = 50;

export type CheckSteps = ReturnType<typeof createCheckSteps>;

type Deps = {
  templates: Pick<Templates, 'check'>;
  fetchTemplate: FetchTemplate;
  fetchCouponNames: FetchCouponNames;
  findMissingUsers: FindMissingUsers;
  findRefusedChanges: FindRefusedChanges;
  allowPrivate: boolean;
};

/**
 * Throws VALIDATION_ERROR with the path of each step that is inconsistent with the others, whose message cannot be rendered, or
 * whose change of the contact would always be refused.
 */
export function createCheckSteps({ templates, fetchTemplate, fetchCouponNames, findMissingUsers, findRefusedChanges, allowPrivate }: Deps) {
  return async function checkSteps(accountId: AccountId, { steps, exit_when }: Pick<Definition, 'steps' | 'exit_when'>) {
    const sends = steps.flatMap((step, index) => (step.type === 'send' ? [{ step, index }] : []));
    const ofMessages: { path: (string | number)[]; code: string; message: string }[] = [];
    const faults: Problem[] = [];
    const captured = capturedBefore(steps);
    // One after the other, so that the memory never holds more than one template.
    for (const { step, index } of sends) {
      const one = await messageOfStep(fetchTemplate, accountId, step);
      if ('problem' in one) {
        ofMessages.push({ ...one.problem, path: [index, ...one.problem.path] });
        continue;
      }
      // Messages of workflows can read `data`, the data of the run, and `responses`, what its webhooks captured.
      const check = async (templatesOfMessage: typeof one.message) => {
        const { subject, preview_text, html, text } = templatesOfMessage;
        const coupons = mayReadCoupons([subject, preview_text, html, text]) ? await fetchCouponNames(accountId) : undefined;
        return templates.check({ accountId, templates: templatesOfMessage, data: true, responses: captured(step.id), coupons });
      };
      const at = (fault: Problem, path: string): Problem => ({ ...fault, path, message: `The step ${step.id}: ${fault.message}` });
      faults.push(...(await check(one.message)).map((fault) => at(fault, `/steps/${index}${fault.path}`)));
      for (const [number, variant] of (step.variants ?? []).entries()) {
        const sent = asVariant(step, variant);
        const of = await messageOfStep(fetchTemplate, accountId, sent);
        const replacesContent = 'html' in variant || 'template_id' in variant;
        const given = new Map<string, unknown>(Object.entries(sent));
        // Other parts are those of the step, which are checked above.
        const isOwn = (field: string) => field in variant || (replacesContent && (given.get(field) ?? null) === null);
        if ('problem' in of) {
          if (isOwn(String(of.problem.path[0]))) ofMessages.push({ ...of.problem, path: [index, 'variants', number, ...of.problem.path] });
          continue;
        }
        const own = (await check(of.message)).filter(({ path }) => isOwn(path.split('/')[1] ?? ''));
        faults.push(...own.map((fault) => at(fault, `/steps/${index}/variants/${number}${fault.path}`)));
      }
    }
    const notified = steps.flatMap((step, index) => (step.type === 'notify' ? [{ id: step.user_id, index }] : []));
    const missing = await findMissingUsers(
      accountId,
      notified.map(({ id }) => id),
    );
    const ofUsers = notified
      .filter(({ id }) => missing.has(id))
      .map(({ id, index }) => ({ path: [index, 'user_id'], code: 'unknown_user', message: `The account has no user ${id}.` }));
    const ofChanges = await findRefusedChanges(accountId, steps);
    const inSteps = [...definitionProblems(steps, { allowPrivate }), ...ofMessages, ...ofUsers, ...ofChanges].map((one) => ({
      ...one,
      path: ['steps', ...one.path],
    }));
    const problems = [...inSteps, ...occurrenceProblems({ steps, exit_when })];
    const [first] = problems;
    if (first) {
      const details = problems.slice(0, maxDetails).map(({ path, code, message }) => ({ path: `/${path.join('/')}`, code, message }));
      throw new ApiError('VALIDATION_ERROR', first.message, { details });
    }
    const error = problemError(faults.slice(0, maxDetails));
    if (error) throw error;
  };
}
