import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { contactWith, envelopeOf, publish, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('a form that a contact submitted or confirmed counts, once per submission, for this form and for any', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const { accountId, ...account } = testClient(app);
  const entered = (contactId: string, segmentId: string) =>
    events.next(MembershipEntered, ({ data }) => data.contact_id === contactId && data.segment_id === segmentId);
  const isMember = async (segmentId: string, contactId: string) =>
    (await account.get(`/v2/segments/${segmentId}/contacts/${contactId}`)).data?.member;
  async function segment(name: string, definition: object): Promise<string> {
    const { data } = await account.post('/v2/segments', { name, definition });
    await untilReady(account, data.id);
    return data.id;
  }
  const formId = newId('form');
  const submitted = await segment('Submitted', { form: formId, activity: 'submitted', in_last: 'P30D' });
  const confirmed = await segment('Confirmed', { form: 'any', activity: 'confirmed' });
  const twice = await segment('Submitted twice', { form: 'any', activity: 'submitted', count: { gte: 2 } });
  const unconfirmed = await segment('Not yet confirmed', {
    all: [
      { form: formId, activity: 'submitted' },
      { form: formId, activity: 'confirmed', count: { eq: 0 } },
    ],
  });
  const contact = contactWith();
  await publish(parts, ContactCreated, accountId, { contact });
  await eventually(async () => (await built.profiles.findOne(accountId, contact.id))?.revision === 1);
  const contactId = contact.id;
  const ofForm = (form_id = formId) => ({
    ...{ form_id, form_name: 'Newsletter', form_version: 1, contact_id: contactId, consents: [], at: new Date().toISOString() },
  });
  const submission = (form_id = formId) => ({
    ...{ ...ofForm(form_id), submission_id: newId('submission'), is_new: true, awaits_confirmation: true, page: null },
  });
  const event = envelopeOf(FormSubmitted, accountId, submission());
  for (const delivery of [event.id, newId('event')]) await parts.broker.publish(FormSubmitted.subject, JSON.stringify(event), delivery);
  await entered(contactId, submitted);
  await entered(contactId, unconfirmed);
  assert.deepEqual([await isMember(twice, contactId), await isMember(confirmed, contactId)], [false, false]);
  await publish(parts, FormConfirmed, accountId, { ...ofForm(), opt_in_id: newId('optIn'), submitted_at: new Date().toISOString() });
  await entered(contactId, confirmed);
  await eventually(async () => !(await isMember(unconfirmed, contactId)));
  await publish(parts, FormSubmitted, accountId, submission(newId('form')));
  await entered(contactId, twice);
});
