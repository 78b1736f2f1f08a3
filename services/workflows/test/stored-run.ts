import { trustedId } from '@mp/ids';
import type { StoredRun } from '../src/runs/run-document.ts';

/** A run that waits for its webhook. */
export const storedRun = (data: StoredRun['data']): StoredRun => ({
  id: trustedId<'run'>('run_1'),
  account_id: trustedId<'account'>('account_1'),
  workflow_id: trustedId<'workflow'>('workflow_1'),
  workflow_name: 'W',
  version: 1,
  contact_id: trustedId<'contact'>('contact_1'),
  state: 'waiting',
  reason: null,
  step: 'hook',
  waiting: null,
  sequence: 3,
  revision: 1,
  chain: null,
  began: '2026-05-01T10:00:00.000Z',
  reached: '2026-05-01T10:00:00.000Z',
  sent: {},
  engaged: [],
  responses: {},
  trigger: { type: 'api', event_id: null },
  data,
  created_at: new Date('2026-05-01T10:00:00.000Z'),
  ended_at: null,
  due_at: null,
});
