import { SegmentMemberChange } from '@mp/contracts/requests/segments';
import type { Broker } from '@mp/service-kit/broker';
import type { Effect, Input } from './run.ts';
import type { StoredRun } from './run-document.ts';

export type ChangeMember = ReturnType<typeof createChangeMember>;

/**
 * Adds the contact of a run to a static segment or removes it, as a step requests. Segments does so once per key, and its events
 * stay in the run's chain of effects. Throws SERVICE_UNAVAILABLE if segments does not reply or is still copying the members.
 */
export const createChangeMember =
  ({ broker }: { broker: Pick<Broker, 'request'> }) =>
  async (run: StoredRun, { key, change }: Effect & { type: 'member' }): Promise<Input> => {
    const { refused } = await broker.request(SegmentMemberChange, {
      account_id: run.account_id,
      segment_id: change.segmentId,
      contact_id: run.contact_id,
      to: change.to,
      effect_key: key,
      workflow_id: run.workflow_id,
      correlation_id: run.chain ?? key,
    });
    return { type: 'effect_completed', key, status: refused === null ? 'done' : 'refused', reason: refused, revision: null };
  };
