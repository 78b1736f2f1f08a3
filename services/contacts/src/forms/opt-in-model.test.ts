import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consentInForce } from '@mp/contracts/consent-in-force';
import { suppressionHash } from '@mp/contracts/contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { aForm, newsletter } from '../../test/forms.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';
import { advance, type OptIn, type OptInEvent, optInOf, recordedAfter } from './opt-in-states.ts';

/** `restore`: the contact is deleted and restored. `merge_away`: it is merged into one that has another address. */
const steps = ['submit', 'submit_directly', 'confirm', 'expire', 'unsubscribe', 'resubscribe', 'suppress'] as const;
const changes = ['change_email', 'merge', 'merge_away', 'delete', 'restore'] as const;
type Step = { name: (typeof steps)[number] | (typeof changes)[number]; pick: number };
type History = readonly Step[];
const aStep: fc.Arbitrary<Step> = fc.record({ name: fc.constantFrom(...steps, 'submit', 'confirm', ...changes), pick: fc.nat(20) });
const returns = (
  [
    ['submit', 'change_email', 'change_email', 'confirm', 'submit', 'confirm'],
    ['submit', 'restore', 'confirm', 'submit', 'merge', 'confirm'],
    ['submit', 'merge_away', 'change_email', 'confirm'],
  ] as const
).map((names): [History] => [names.map((name) => ({ name, pick: 0 }))]);
/** Of one address, each process takes so many submissions at once. */
const maxSubmissions = 5;

test('in every order of events, consent, links and emails are what the table of states says', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const optIns = parts.mongo.db.collection<{ _id: string; state: string; address: string }>('opt_ins');
  let runs = 0;

  async function follow(history: History) {
    runs += 1;
    const account = testClient(app);
    const { accountId } = account;
    const ok = async (pending: ReturnType<typeof account.get>) => {
      const { status, data, text } = await pending;
      assert.ok(status < 300, text);
      return data;
    };
    const form = (more: object = {}) =>
      ok(account.post('/v2/contacts/forms', { ...aForm(), consents: newsletter({ topics: [] }), captcha: 'off', ...more }));
    const forms = [await form(), await form()];
    const direct = await form({ double_opt_in: { enabled: false } });
    const addressOf = (name: string) => `${name}@run${runs}.example`;
    const created = (more: object = {}) =>
      ok(account.post('/v2/contacts', { external_id: `${Math.random()}`, consent: { email: null }, ...more }));

    let email = addressOf('ada');
    let { id } = await created({ email });
    let model: OptIn = { state: 'none', open: [] };
    /** What is recorded, even beside a suppression. */
    let consent: Parameters<typeof optInOf>[0]['consent'] = null;
    const suppressed = new Set<string>();
    const submissions = new Map<string, number>();

    function happens(event: OptInEvent, request?: string) {
      const after = advance(model, event, request);
      const recorded = recordedAfter(model.state, after.state);
      if (event === 'unsubscribe') consent = 'unsubscribed';
      else if (event === 'resubscribe') consent = 'subscribed';
      else if (event === 'delete') consent = null;
      // The account can ask again for what was pending at another address.
      else if (recorded !== undefined && event !== 'change_email') consent = recorded;
      const isLifted = model.state === 'suppressed' && event === 'change_email';
      model = isLifted ? optInOf({ consent, open: [], isSuppressed: false }) : { state: after.state, open: after.open };
      if (suppressed.has(email) && model.state !== 'suppressed') model = advance(model, 'suppress');
      return after.needsConfirmation;
    }

    async function submit(event: 'submit' | 'submit_directly', { id: formId }: { id: string }) {
      if ((submissions.get(email) ?? 0) >= maxSubmissions) return;
      submissions.set(email, (submissions.get(email) ?? 0) + 1);
      // Not the limit of emails, which has tests of its own.
      await parts.mongo.db.collection('confirmation_mails').deleteMany({ account_id: accountId });
      const before = await confirmations(parts, accountId);
      assert.equal((await aVisitor(app).submit(formId, { fields: { email }, consents: ['news'] })).status, 200);
      const [sent, ...more] = (await confirmations(parts, accountId)).slice(before.length);
      const earlier = await optIns.findOne({ account_id: accountId, form_id: sent?.form_id ?? '', state: 'open' });
      assert.equal(earlier?._id, sent?.opt_in_id, 'a repeated submission is the same request');
      assert.deepEqual([happens(event, sent?.opt_in_id), more.length], [sent !== undefined, 0]);
    }

    async function take({ name, pick }: Step) {
      if (name === 'submit') await submit('submit', forms[pick % 2]);
      else if (name === 'submit_directly') await submit('submit_directly', direct);
      else if (name === 'confirm') {
        const links = await confirmations(parts, accountId);
        const link = links[pick % Math.max(1, links.length)];
        if (link) await aVisitor(app).post(link.confirm_path);
        if (link) happens('confirm', link.opt_in_id);
      } else if (name === 'expire') {
        const request = model.open[pick % Math.max(1, model.open.length)];
        if (request === undefined) return;
        const past = new Date(0);
        await optIns.updateOne({ _id: request }, { $set: { expires_at: past, due_at: past } });
        await eventually(async () => (await optIns.findOne({ _id: request }))?.state === 'expired');
        happens('expire', request);
      } else if (name === 'unsubscribe' || name === 'resubscribe') {
        await ok(account.put(`/v2/contacts/${id}`, { consent: { email: { status: `${name === 'unsubscribe' ? 'un' : ''}subscribed` } } }));
        happens(name);
      } else if (name === 'suppress') {
        await account.post('/v2/contacts/suppressions', { email, reason: 'hard_bounce' });
        suppressed.add(email);
        happens('suppress');
      } else if (name === 'change_email') {
        email = email === addressOf('ada') ? addressOf('bo') : addressOf('ada');
        await ok(account.put(`/v2/contacts/${id}`, { email }));
        happens('change_email');
      } else if (name === 'merge' || name === 'merge_away') {
        const away = addressOf(`away${Math.random().toString(36).slice(2)}`);
        const survivor = await created(name === 'merge' ? {} : { email: away });
        await ok(account.post(`/v2/contacts/${survivor.id}/merge`, { source_id: id }));
        ({ id } = survivor);
        happens('merge');
        if (name === 'merge') return;
        email = away;
        happens('change_email');
      } else {
        await ok(account.delete(`/v2/contacts/${id}`));
        if (name === 'restore') await ok(account.post(`/v2/contacts/${id}/restore`));
        else ({ id } = await created({ email }));
        happens(name === 'restore' ? 'change_email' : 'delete');
      }
    }

    for (const step of history) {
      await take(step);
      const contact = await ok(account.get(`/v2/contacts/${id}`));
      const rows = await optIns.find({ account_id: accountId, state: 'open' }).toArray();
      const address = suppressionHash(accountId, 'email', contact.email);
      assert.ok(
        rows.every((row) => row.address === address),
        `after ${step.name} a request is open whose link is void`,
      );
      const open = rows.map(({ _id }): string => _id);
      const real = optInOf({ consent: consentInForce(contact.consent, 'email', null), open, isSuppressed: suppressed.has(email) });
      assert.deepEqual([real.state, [...real.open].sort()], [model.state, [...model.open].sort()], `after ${step.name}`);
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(aStep, { minLength: 6, maxLength: 14 }), follow), {
    numRuns: 8,
    examples: returns,
    interruptAfterTimeLimit: 30_000,
    endOnFailure: true,
  });
});
