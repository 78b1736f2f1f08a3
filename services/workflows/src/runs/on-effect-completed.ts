import type { EventEnvelope } from '@mp/contracts/event';
import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { NotifyEffectCompleted } from '@mp/contracts/events/platform';
import type { RunId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { Holds, MoveRun } from './move-run.ts';
import type { Input } from './run.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; workflows: WorkflowsStore; moveRun: MoveRun; holds?: Holds };

export const onContactEffectCompleted = (deps: Deps) =>
  on(ContactEffectCompleted, (tx, event) => {
    const { effect_key, status, reason, revision } = event.data;
    return completed(tx, deps, event, { type: 'effect_completed', key: effect_key, status, reason, revision });
  });

export const onSendEffectCompleted = (deps: Deps) =>
  on(CampaignEffectCompleted, (tx, event) => {
    const { effect_key, status, reason, detail, retry_at: retryAt } = event.data;
    const outcome = { type: 'effect_completed', key: effect_key, status, revision: null, retryAt } as const;
    if (reason === 'unverified_domain') return completed(tx, deps, event, { ...outcome, reason: detail ?? reason, fault: true });
    if (reason !== 'template_error') return completed(tx, deps, event, { ...outcome, reason });
    const why = detail ? `The message cannot be rendered for this contact: ${detail}` : 'The message cannot be rendered for this contact.';
    return completed(tx, deps, event, { ...outcome, reason: why, fault: true });
  });

export const onNotifyEffectCompleted = (deps: Deps) =>
  on(NotifyEffectCompleted, (tx, event) => {
    const { effect_key, status, reason } = event.data;
    return completed(tx, deps, event, { type: 'effect_completed', key: effect_key, status, reason, revision: null });
  });

type Completed = Input & { type: 'effect_completed' };

/** Advances the run whose effect is done or refused, in this transaction. A second reply for the same key has no effect. */
async function completed(
  tx: Transaction,
  { runs, workflows, moveRun, holds = () => false }: Deps,
  event: EventEnvelope<{ run_id: RunId }>,
  input: Completed,
) {
  const run = await runs.findOne(event.account_id, event.data.run_id, tx);
  if (!run) return;
  const status = await workflows.status(event.account_id, run.workflow_id, tx);
  await moveRun(tx, run, { ...input, hold: holds(event.account_id) || status !== 'active' });
}
