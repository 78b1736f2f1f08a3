import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { SegmentMembersPage } from '@mp/contracts/requests/segments';
import { trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { createReadMembers } from './segment-members.ts';

type Pages = Record<string, { contact_ids: string[]; next: string | null }>;

/** Segments with these pages, and the faults of the segment. */
function segmentsWith(pages: Pages, faults: { missing?: string[]; failed?: string[] } = {}): Pick<Broker, 'request'> {
  return {
    async request(type, request) {
      const { after } = SegmentMembersPage.request.safeParse(request).data ?? {};
      const reply = after === undefined ? { missing: [], ...faults } : pages[after ?? ''];
      if (!reply) throw new ApiError('SERVICE_UNAVAILABLE', 'segments did not reply');
      return type.reply.parse(reply);
    },
  };
}
const query = { accountId: trustedId<'account'>('account_1'), segmentId: trustedId<'segment'>('segment_1'), asOf: new Date(), limit: 2 };

test('the end of a segment counts only while the segment exists, because a deleted one has no members', async () => {
  const pages = { '': { contact_ids: ['a', 'b'], next: 'b' }, b: { contact_ids: [], next: null } };
  const read = createReadMembers(segmentsWith(pages));
  assert.deepEqual(await read({ ...query, after: null }), { ids: ['a', 'b'], next: 'b' });
  assert.deepEqual(await read({ ...query, after: trustedId<'contact'>('b') }), { ids: [], next: null });
  const deleted = createReadMembers(segmentsWith(pages, { missing: ['segment_1'] }));
  await assert.rejects(
    deleted({ ...query, after: trustedId<'contact'>('b') }),
    (error) => error instanceof ApiError && error.code === 'INVALID_STATE',
  );
});

test('without a reply it is retried, unless the segment failed to build', async () => {
  const codeOf = (faults: object) => createReadMembers(segmentsWith({}, faults))({ ...query, after: null }).catch((error) => error.code);
  assert.deepEqual([await codeOf({}), await codeOf({ failed: ['segment_1'] })], ['SERVICE_UNAVAILABLE', 'INVALID_STATE']);
});
