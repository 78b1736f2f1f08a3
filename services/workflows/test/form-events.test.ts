import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { type ContactId, type FormId, newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';

const end = [{ id: 'end', type: 'exit' }];
const vip = { field: 'tags', op: 'contains', value: 'vip' };

test('forms', async (t) => {
  const { account, clock, create, ended, parts, pass, play, read, runsOf, trigger } = await liveService(t);
  const { accountId } = account;
  const inbox = parts.mongo.db.collection<{ _id: string }>('inbox');
  const ofForm = (form_id: FormId, contact_id: ContactId) => ({
    ...{ form_id, form_name: 'Newsletter', form_version: 1, contact_id, at: clock().toISOString() },
    consents: [{ channel: 'email' as const, topics: [] }],
  });
  const submit = (formId: FormId, contactId: ContactId) =>
    play.publish(FormSubmitted, accountId, {
      ...{ ...ofForm(formId, contactId), submission_id: newId('submission'), is_new: true, awaits_confirmation: true },
      page: 'https://www.example.com/blog',
    });
  const confirm = (formId: FormId, contactId: ContactId) =>
    play.publish(FormConfirmed, accountId, {
      ...ofForm(formId, contactId),
      opt_in_id: newId('optIn'),
      submitted_at: clock().toISOString(),
    });
  const startedIn = (workflowId: string, count = 1) =>
    eventually(async () => {
      const runs = await runsOf(workflowId);
      return runs.length >= count && runs;
    });

  await t.test('a submission starts exactly one run with the data of the form, however often it is delivered', async () => {
    const formId = newId('form');
    const workflow = await create({ trigger: { type: 'form_submitted', form_id: formId }, entry: { policy: 'every_time' }, steps: end });
    const anyForm = await create({ trigger: { type: 'form_submitted' }, entry: { policy: 'every_time' }, steps: end });
    const [contactId, other, last] = [newId('contact'), newId('contact'), newId('contact')];
    const event = await submit(formId, contactId);
    await startedIn(workflow.id);
    // With an ID of its own, so that the stream does not drop it before it is delivered.
    await parts.broker.publish(FormSubmitted.subject, JSON.stringify(event), newId('event'));
    await submit(newId('form'), other);
    await confirm(formId, contactId);
    await submit(formId, last);
    const runs = await startedIn(workflow.id, 2);
    const contactsOf = (found: { contact_id: string }[]) => found.map(({ contact_id }) => contact_id).sort();
    assert.deepEqual(contactsOf(runs), [contactId, last].sort());
    assert.deepEqual(contactsOf(await startedIn(anyForm.id, 3)), [contactId, other, last].sort());
    const run = runs.find(({ contact_id }: { contact_id: string }) => contact_id === contactId);
    assert.deepEqual(run.trigger, { type: 'form_submitted', event_id: event.id });
    assert.deepEqual(run.data, {
      ...{ form_id: formId, form_name: 'Newsletter', page: 'https://www.example.com/blog', is_new: true, awaits_confirmation: true },
      consents: [{ channel: 'email', topics: [] }],
    });
  });

  await t.test('with `when`, a submission starts a run only of a contact that matches, once segments has applied it', async () => {
    const formId = newId('form');
    const workflow = await create({ trigger: { type: 'form_submitted', form_id: formId, when: vip }, steps: end });
    const [fits, other] = [newId('contact'), newId('contact')];
    for (const id of [fits, other]) play.contacts.set(id, { id, email: `${id}@example.com` });
    const after: string[] = [];
    play.rule = ({ contact_id, after_events }) => {
      after.push(...after_events);
      return { known: true, matches: contact_id === fits };
    };
    const events = [await submit(formId, other), await submit(formId, fits)];
    const [run] = await startedIn(workflow.id);
    assert.equal(run.contact_id, fits);
    await eventually(async () => events.every(({ id }) => after.includes(id)));
    assert.equal((await runsOf(workflow.id)).length, 1);
  });

  await t.test('a confirmation of the form ends a wait, even one that came just before the run waited for it', async () => {
    const formId = newId('form');
    const workflow = await create({
      trigger: { type: 'form_submitted', form_id: formId },
      steps: [
        {
          ...{ id: 'wait', type: 'wait_until', any: [{ type: 'form_confirmed', form_id: formId }] },
          ...{ timeout: 'P1D', next: 'welcome', on_timeout: 'lost' },
        },
        { id: 'welcome', type: 'exit', reason: 'welcome' },
        { id: 'lost', type: 'exit', reason: 'lost' },
      ],
    });
    const [waits, early, never] = [newId('contact'), newId('contact'), newId('contact')];
    await submit(formId, waits);
    await submit(formId, never);
    await startedIn(workflow.id, 2);
    await confirm(newId('form'), never);
    await confirm(formId, waits);
    await Promise.all([submit(formId, early), confirm(formId, early)]);
    const reasonOf = async (id: string) => {
      const runs = await startedIn(workflow.id, 3);
      const run = runs.find(({ contact_id }: { contact_id: string }) => contact_id === id);
      return (await ended(run.id)).reason;
    };
    assert.deepEqual([await reasonOf(waits), await reasonOf(early)], ['welcome', 'welcome']);
    pass(25 * 3_600_000);
    assert.equal(await reasonOf(never), 'lost');
  });

  await t.test('a submission reaches a goal and an exit condition of a run', async () => {
    const formId = newId('form');
    const wait = { id: 'wait', type: 'delay', for: 'P5D' };
    const submitted = [{ type: 'form_submitted', form_id: formId }];
    const goal = await create({ steps: [{ id: 'goal', type: 'goal', any: submitted, within: 'P7D', next: 'wait' }, wait] });
    const exit = await create({ exit_when: submitted, steps: [wait] });
    const contactId = newId('contact');
    play.contacts.set(contactId, { id: contactId, email: 'a@example.com' });
    await submit(newId('form'), contactId);
    const runs = [await trigger(goal.id, contactId), await trigger(exit.id, contactId)];
    await Promise.all(runs.map((id) => eventually(async () => (await read(id)).waiting_for !== null)));
    const { id } = await submit(formId, contactId);
    await eventually(async () => (await inbox.findOne({ _id: `workflows-forms ${id}` })) !== null);
    const states = await Promise.all(runs.map(async (run) => (await ended(run)).state));
    assert.deepEqual(states, ['converted', 'exited']);
  });

  await t.test('a simulation plays submissions and confirmations', async () => {
    const formId = newId('form');
    const definition = {
      trigger: { type: 'form_submitted', form_id: formId },
      steps: [
        { id: 'wait', type: 'wait_until', any: [{ type: 'form_confirmed', form_id: formId }], timeout: 'P1D', next: 'welcome' },
        { id: 'welcome', type: 'exit', reason: 'welcome' },
      ],
    };
    const simulate = async (form_id: string) => {
      const events = [{ type: 'form_confirmed', form_id, after: 'PT2H' }];
      return (await account.post('/v2/workflows/simulate', { definition, events })).data.reason;
    };
    assert.deepEqual([await simulate(formId), await simulate(newId('form'))], ['welcome', null]);
  });

  await t.test('a form that is not an ID of a form is rejected', async () => {
    const { status, text } = await account.post('/v2/workflows', {
      ...{ name: 'W', trigger: { type: 'form_submitted', form_id: 'newsletter' }, steps: end },
    });
    assert.equal(status, 400, text);
    assert.match(text, /expected a form id/);
  });
});
