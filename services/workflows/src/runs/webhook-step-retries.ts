import type { Definition } from '../workflows/definition.ts';
import { nextOf, type Step } from '../workflows/step.ts';
import { captureResponse } from './capture-response.ts';
import type { Waiting, WebhookOutcome } from './run.ts';
import { after, entry, failure, type Transition } from './transition.ts';

const maxWebhookAttempts = 4;

/** A receiver was called: continues, or calls it again later, with a pause that grows sixfold from ten seconds. */
export function called(
  definition: Definition,
  step: Step,
  { waiting, outcome, now }: { waiting: Waiting & { for: 'webhook' }; outcome: WebhookOutcome; now: Date },
): Transition {
  const { key } = waiting;
  if (outcome.ok) {
    const captured = step.type === 'webhook' ? captureResponse(step, outcome.said ?? '') : {};
    return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', outcome.detail, key)], captured };
  }
  const attempts = waiting.attempts + 1;
  if (!outcome.retry || attempts >= maxWebhookAttempts) return failure(definition, step, outcome.detail, key);
  const at = after(now, 10_000 * 6 ** (attempts - 1));
  return {
    kind: 'wait',
    waiting: { ...waiting, attempts, at },
    log: [entry(step.id, 'repeated', `${outcome.detail} Attempt ${attempts + 1} of ${maxWebhookAttempts} at ${at}.`, key)],
  };
}
