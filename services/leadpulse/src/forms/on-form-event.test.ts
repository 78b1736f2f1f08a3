import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

test('the visitor of a page is identified by the submission or confirmation of a form that proves it, and by no other', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp, { live: true });
  await parts.broker.reply(ContactsFind, async ({ ids }) => ({ contacts: ids.map((id) => aContact({ id })), merged: [] }));
  const account = testClient(app);
  const publish = (
    type: typeof FormSubmitted | typeof FormConfirmed,
    account_id: AccountId,
    contact_id: ContactId,
    visitor_id: string | null,
  ) => {
    const at = new Date().toISOString();
    const ofForm = { form_id: newId('form'), form_name: 'News', form_version: 1, contact_id, consents: [], visitor_id, at };
    const submitted = { ...ofForm, submission_id: newId('submission'), is_new: true, awaits_confirmation: false, page: null };
    const confirmed = { ...ofForm, opt_in_id: newId('optIn'), submitted_at: at };
    const envelope = {
      ...{ id: newId('event'), type: type.type, version: 1, time: at, account_id, correlation_id: 'req_12345678', causation_id: null },
      ...{ producer: 'test', data: type === FormSubmitted ? submitted : confirmed },
    };
    return parts.broker.publish(type.subject, JSON.stringify(envelope));
  };
  const contactOf = async (visitor: string) => {
    const { items } = (await account.get('/v2/leadpulse/visitors?limit=100')).data;
    return items.find(({ visitor_id }: { visitor_id: string }) => visitor_id === visitor)?.contact_id;
  };
  for (const visitor_id of ['visitor-1', 'visitor-2', 'visitor-3'])
    await account.post('/v2/leadpulse/track', { event: '$pageview', visitor_id, context: { page: { url: 'https://shop.example/' } } });
  const [one, two, three] = [newId('contact'), newId('contact'), newId('contact')];
  await publish(FormSubmitted, account.accountId, three, null);
  await publish(FormSubmitted, account.accountId, one, 'visitor-1');
  await publish(FormConfirmed, account.accountId, two, 'visitor-2');
  await eventually(async () => (await contactOf('visitor-1')) === one && (await contactOf('visitor-2')) === two);
  assert.equal(await contactOf('visitor-3'), null);
});
