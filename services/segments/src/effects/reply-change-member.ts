import { ApiError } from '@mp/contracts/errors';
import { SegmentMemberChange } from '@mp/contracts/requests/segments';
import type { Broker } from '@mp/service-kit/broker';
import type { EffectsStore } from '@mp/service-kit/effects-store';
import type { Mongo } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import { type ChangeMembers, requireStatic } from '../memberships/change-members.ts';
import type { FindContacts } from '../profiles/find-contacts.ts';
import type { StoredSegment } from '../segments/segment.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';

type EffectResult = z.output<typeof SegmentMemberChange.reply>;

type Deps = {
  mongo: Mongo;
  segments: SegmentsStore;
  effects: EffectsStore<EffectResult>;
  findContacts: FindContacts;
  changeMembers: ChangeMembers;
};

/**
 * Adds a contact to a static segment, or removes it, for a step of a workflow: once per key. A repeated request has the first
 * result, even if the contact has since left the segment or entered it again.
 */
export const replyToChangeMember =
  (broker: Broker, { mongo, segments, effects, findContacts, changeMembers }: Deps) =>
  () =>
    broker.reply(SegmentMemberChange, async (request): Promise<EffectResult> => {
      const { account_id, segment_id, contact_id, to, effect_key, workflow_id, correlation_id } = request;
      const effect = { accountId: account_id, key: effect_key };
      const earlier = (await effects.results([effect]))(effect);
      if (earlier) return earlier;
      const [found] = await findContacts(account_id, [{ id: contact_id }]);
      return mongo.transaction({ correlationId: correlation_id, causationId: null }, async (tx) => {
        const concurrent = (await effects.results([effect], tx))(effect);
        if (concurrent) return concurrent;
        const segment = await segments.findOne(account_id, segment_id, tx);
        const refused = found === undefined ? 'The contact no longer exists.' : refusalOf(segment);
        if (segment && found !== undefined && refused === null) {
          await changeMembers(tx, account_id, segment, { to, contactIds: [found], reason: { cause: 'manual', by: workflow_id } });
        }
        await effects.keep(tx, [{ ...effect, result: { refused } }]);
        return { refused };
      });
    });

/** Why the segment can never take the change; null if it can. Throws SERVICE_UNAVAILABLE while it copies its members. */
function refusalOf(segment: StoredSegment | undefined): string | null {
  if (!segment) return 'The segment no longer exists.';
  try {
    requireStatic(segment);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isCopying = segment.kind === 'static' && segment.archived_at === null;
    if (isCopying) throw new ApiError('SERVICE_UNAVAILABLE', error.message, { retryAfter: 2 });
    return error.message;
  }
}
