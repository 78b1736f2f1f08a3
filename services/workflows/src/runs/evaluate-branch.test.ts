import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestType } from '@mp/contracts/request';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { trustedId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import type { z } from 'zod';
import { createEvaluateBranch } from './evaluate-branch.ts';

const rules = [
  { field: 'tags', op: 'exists' },
  { field: 'company', op: 'exists' },
] as const;
const contactId = trustedId<'contact'>('contact_1');
const run = { account_id: trustedId<'account'>('account_1'), contact_id: contactId, revision: 0, after: ['evt_1'] };

/** Evaluates the branch with these replies of contacts and segments, and records the requests to segments. */
function setting(contacts: () => object, segments: (nth: number) => { known: boolean; matches: boolean }) {
  const requests: unknown[] = [];
  async function request<Request extends z.ZodType, Reply extends z.ZodType>(type: RequestType<Request, Reply>, given: z.input<Request>) {
    if (type.subject === ContactsFind.subject) return type.reply.parse(contacts());
    requests.push(type.request.parse(given));
    return type.reply.parse(segments(requests.length));
  }
  return { requests, evaluate: createEvaluateBranch({ broker: { request }, logger: { debug: () => undefined } }) };
}

const revision = (number: number) => () => ({ contacts: [aContact({ id: contactId, email: 'a@example.com', revision: number })] });

test('a branch', async (t) => {
  await t.test('is evaluated on data after the start of its run, and on no older revision than contacts has', async () => {
    const { requests, evaluate } = setting(revision(4), (nth) => ({ known: true, matches: nth === 2 }));
    assert.deepEqual(await evaluate(run, rules), { known: true, taken: 1, revision: 4 });
    const about = { account_id: 'account_1', contact_id: 'contact_1', at_least_revision: 4 };
    assert.deepEqual(requests, [
      { ...about, rule: rules[0], after_events: ['evt_1'] },
      { ...about, rule: rules[1], after_events: [] },
    ]);
  });

  await t.test('is not decided while segments lags, contacts does not reply, or the contact is being merged', async () => {
    const yes = () => ({ known: true, matches: true });
    const behind = setting(revision(4), () => ({ known: false, matches: false }));
    assert.deepEqual(await behind.evaluate(run, rules), { known: false, revision: 4 });
    const silent = setting(() => {
      throw new Error('no reply');
    }, yes);
    assert.deepEqual(await silent.evaluate(run, rules), { known: false, revision: 0 });
    const merged = setting(() => ({ contacts: [], merged: [{ id: 'contact_1', into: 'contact_2' }] }), yes);
    assert.deepEqual(await merged.evaluate(run, rules), { known: false, revision: 0 });
    assert.deepEqual([silent.requests, merged.requests], [[], []]);
  });

  await t.test('sends no request to contacts when the run knows the revision', async () => {
    const { evaluate } = setting(
      () => {
        throw new Error('unexpected request');
      },
      () => ({ known: true, matches: false }),
    );
    assert.deepEqual(await evaluate({ ...run, revision: 2 }, rules), { known: true, taken: null, revision: 2 });
  });
});
