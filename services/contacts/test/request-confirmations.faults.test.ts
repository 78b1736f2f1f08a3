import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormConfirmationRequested } from '@mp/contracts/events/contacts';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { startServiceProcess } from '@mp/test-kit/service-process';
import { aForm } from './forms.ts';
import { confirmations } from './visitors.ts';

test('a bulk job asks each contact once to confirm, however often the service is killed', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const first = await service.start();
  const { data: form } = await service.post('/v2/contacts/forms', aForm());
  const emails = Array.from({ length: 250 }, (_, index) => `c${index}@example.com`).sort();
  const contacts = emails.map((email) => ({ email, consent: { email: { status: 'pending' } } }));
  await service.post('/v2/contacts/batch', { contacts });
  await service.kill(first);

  const dying = await service.startDying(1);
  await service.post('/v2/contacts/bulk', { select: { filter: {} }, action: 'request_confirmation', form_id: form.id });
  await dying.gone();
  // It dies right after the commit of some contacts, and the next continues after them.
  await (await service.startDying(1)).gone();
  assert.equal(await service.published(FormConfirmationRequested.subject), 200);
  await service.start();
  const done = await eventually(async () => {
    const { data } = await service.get('/v2/contacts/bulk');
    return data?.items[0]?.status === 'completed' && data.items[0];
  });
  assert.deepEqual(done.rows, { selected: 250, changed: 250, unchanged: 0, failed: 0 });
  const recipients = (await confirmations(service.parts, service.accountId)).map(({ email }) => email);
  assert.deepEqual(recipients.sort(), emails, 'one email for each');
  const { counts } = (await service.get(`/v2/contacts/forms/${form.id}/report`)).data;
  assert.equal(counts.awaiting_confirmation, 250);
});
