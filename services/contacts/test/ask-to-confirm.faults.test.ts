import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { startServiceProcess } from '@mp/test-kit/service-process';
import { aForm } from './forms.ts';
import { confirmations } from './visitors.ts';

test('a bulk job asks each contact once to confirm, however often the service is killed', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const first = await service.start();
  const { data: form } = await service.post('/v2/contacts/forms', aForm());
  const emails = Array.from({ length: 450 }, (_, index) => `c${index}@example.com`).sort();
  const contacts = emails.map((email) => ({ email, consent: { email: { status: 'pending' } } }));
  await service.post('/v2/contacts/batch', { contacts });
  await service.kill(first);

  const dying = await service.startDying(2);
  const body = { select: { filter: {} }, action: 'request_confirmation', form_id: form.id };
  const { data: job } = await service.post('/v2/contacts/bulk', body, { 'idempotency-key': 'ask' });
  await dying.gone();
  for (const commits of [1, 2]) await (await service.startDying(commits)).gone();
  await service.start();
  const path = `/v2/contacts/bulk/${job?.id ?? (await service.post('/v2/contacts/bulk', body, { 'idempotency-key': 'ask' })).data.id}`;
  const done = await eventually(async () => {
    const { data } = await service.get(path);
    return data?.status === 'completed' && data;
  });
  assert.deepEqual(done.rows, { selected: 450, changed: 450, unchanged: 0, failed: 0 });
  const asked = (await confirmations(service.parts, service.accountId)).map(({ email }) => email);
  assert.deepEqual(asked.sort(), emails, 'one email for each');
  const { counts } = (await service.get(`/v2/contacts/forms/${form.id}/report`)).data;
  assert.equal(counts.awaiting_confirmation, 450);
});
