import type { EventType } from '@mp/contracts/event';
import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { NotifyEffectCompleted } from '@mp/contracts/events/platform';
import type { RunId } from '@mp/ids';
import { onAll } from '@mp/service-kit/consume';
import type { z } from 'zod';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyInputs, Holds } from './apply-inputs.ts';
import type { Input } from './run.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = {
  runs: Pick<RunsStore, 'findMany'>;
  workflows: Pick<WorkflowsStore, 'statuses'>;
  applyInputs: ApplyInputs;
  holds?: Holds;
};

type Completed = Input & { type: 'effect_completed' };

export const onContactEffectCompleted = (deps: Deps) =>
  onCompleted(ContactEffectCompleted, deps, ({ effect_key, status, reason, revision }) => {
    return { type: 'effect_completed', key: effect_key, status, reason, revision };
  });

export const onSendEffectCompleted = (deps: Deps) =>
  onCompleted(CampaignEffectCompleted, deps, ({ effect_key, status, reason, detail, retry_at: retryAt }) => {
    const outcome = { type: 'effect_completed', key: effect_key, status, revision: null, retryAt } as const;
    if (reason === 'unverified_domain') return { ...outcome, reason: detail ?? reason, fault: true };
    if (reason !== 'template_error') return { ...outcome, reason };
    const why = detail ? `The message cannot be rendered for this contact: ${detail}` : 'The message cannot be rendered for this contact.';
    return { ...outcome, reason: why, fault: true };
  });

export const onNotifyEffectCompleted = (deps: Deps) =>
  onCompleted(NotifyEffectCompleted, deps, ({ effect_key, status, reason }) => {
    return { type: 'effect_completed', key: effect_key, status, reason, revision: null };
  });

/** Advances the runs whose effects are done or refused, in this transaction. A second result for the same key has no effect. */
const onCompleted = <Data extends z.ZodType<{ run_id: RunId }>>(
  event: EventType<Data>,
  { runs, workflows, applyInputs, holds = () => false }: Deps,
  inputOf: (data: z.output<Data>) => Completed,
) =>
  onAll(event, async (tx, events) => {
    const found = await runs.findMany(
      tx,
      events.map(({ account_id: accountId, data }) => ({ accountId, id: data.run_id })),
    );
    const statuses = await workflows.statuses([...found.values()], tx);
    const moves = events.flatMap(({ account_id, data }) => {
      const before = found.get(data.run_id);
      if (before?.account_id !== account_id) return [];
      const hold = holds(account_id) || statuses.get(before.workflow_id) !== 'active';
      return [{ before, input: { ...inputOf(data), hold }, cause: tx.causedBy?.(data) }];
    });
    await applyInputs(tx, moves);
  });
