import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { approvalView } from './approval.ts';
import type { ApprovalRequest } from './approvals-store.ts';
import type { Principal } from './create-server.ts';

const request: ApprovalRequest = {
  ...{ status: 'awaiting', requested_by: newId('user'), requested_for: null, requested_at: new Date() },
  ...{ decided_by: null, decided_at: null, comment: null },
};

const principal: Principal = {
  ...{ accountId: newId('account'), id: newId('user'), permission: 'read_write', scopes: null, plan: 'starter' },
  sendingLimits: { topics: null, senders: ['@shop.example'] },
};

const canDecide = (...senders: string[]) => {
  const emails = senders.map((sender) => ({ topic: null, sender }));
  return approvalView({ request, revision: 1, content: {}, principal, scope: 'campaigns:send', emails }).can_decide;
};

test('a user whose role may not send every email of it cannot decide', () => {
  assert.equal(canDecide('news@shop.example'), true);
  assert.equal(canDecide('news@shop.example', 'ceo@other.example'), false);
});
