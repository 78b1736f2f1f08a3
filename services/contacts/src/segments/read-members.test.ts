import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { SegmentMembersPage } from '@mp/contracts/questions/segments';
import type { Broker } from '@mp/service-kit/broker';
import { createReadMembers } from './read-members.ts';

/** Segments with these pages, where the segment exists or was deleted. */
function segmentsWith(pages: Record<string, { contact_ids: string[]; next: string | null }>, missing: string[]): Pick<Broker, 'ask'> {
  return {
    async ask(question, asked) {
      const { after } = SegmentMembersPage.ask.safeParse(asked).data ?? {};
      return question.answer.parse(after === undefined ? { missing } : pages[after ?? '']);
    },
  };
}
const asked = { accountId: 'account_1', segmentId: 'segment_1', asOf: new Date(), limit: 2 };

test('the end of a segment counts only while the segment exists, because a deleted one has no members', async () => {
  const pages = { '': { contact_ids: ['a', 'b'], next: 'b' }, b: { contact_ids: [], next: null } };
  const read = createReadMembers(segmentsWith(pages, []));
  assert.deepEqual(await read({ ...asked, after: null }), { ids: ['a', 'b'], next: 'b' });
  assert.deepEqual(await read({ ...asked, after: 'b' }), { ids: [], next: null });
  const deleted = createReadMembers(segmentsWith(pages, ['segment_1']));
  await assert.rejects(deleted({ ...asked, after: 'b' }), (error) => error instanceof ApiError && error.code === 'INVALID_STATE');
});
