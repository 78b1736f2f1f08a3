import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactFieldsChecked } from '@mp/contracts/requests/contacts';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('an update_contact step whose values can never be set is rejected on write', async (t) => {
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  const stepsOf = (...updates: object[]) =>
    updates.map((update, index) => ({
      ...{ id: `s${index}`, type: 'update_contact', ...update },
      ...(index + 1 < updates.length && { next: `s${index + 1}` }),
    }));
  const body = (steps: object[]) => ({ name: 'W', trigger: { type: 'manual' }, steps });
  const wrong = stepsOf({ set: { company: 'Acme' } }, { set: { email: 'nobody' } });

  const early = await account.post('/v2/workflows', body(wrong));
  assert.equal(early.status, 201, 'accepted while contacts does not reply, and checked when the step is taken');

  const requests: unknown[] = [];
  await parts.broker.reply(ContactFieldsChecked, async ({ changes }) => {
    requests.push(...changes);
    return {
      problems: changes.flatMap(({ set, increment }, change) => [
        ...('email' in set ? [{ change, of: 'set' as const, path: ['email'], code: 'invalid_format', message: 'Invalid email.' }] : []),
        ...('consent' in set
          ? [{ change, of: 'set' as const, path: ['consent', 'email', 'status'], code: 'invalid_type', message: 'Expected a status.' }]
          : []),
        ...increment.map((key) => ({
          change,
          of: 'increment' as const,
          path: [`attributes.${key}`],
          code: 'wrong_type',
          message: 'Text.',
        })),
      ]),
    };
  });

  await t.test('the error names the path of the value, including for an update or a simulation', async () => {
    const steps = [
      ...wrong.map((step, index) => ({ ...step, ...(index === 1 && { next: 'add' }) })),
      { id: 'add', type: 'update_contact', increment: { 'attributes.plan': 1 } },
    ];
    const problems = ['steps/1/set/email invalid_format', 'steps/2/increment/attributes.plan wrong_type'];
    for (const [response, at] of [
      [await account.post('/v2/workflows', body(steps)), '/'],
      [await account.put(`/v2/workflows/${early.data.id}`, { steps }), '/'],
      [await account.post('/v2/workflows/simulate', { definition: body(steps) }), '/definition/'],
    ] as const) {
      assert.deepEqual([response.status, response.error?.message], [400, 'The step s1: Invalid email.'], response.text);
      assert.deepEqual(
        response.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
        problems.map((problem) => `${at}${problem}`),
      );
    }
  });

  await t.test('only the values that are known are checked', async () => {
    requests.length = 0;
    const set = {
      email: '{{ data.email }}',
      first_name: 'Ada',
      tags: ['a', '{{ data.tag }}'],
      address: { city: 'Berlin', country: '{{ data.country }}' },
      attributes: { plan: 'pro', note: 'For {{ contact.first_name }}', seats: 3, old: null },
      consent: { email: { status: '{{ data.status }}', method: 'form' } },
    };
    const response = await account.post('/v2/workflows', body(stepsOf({ set })));
    assert.equal(response.status, 201, response.text);
    const known = {
      ...{ first_name: 'Ada', tags: ['a'], address: { city: 'Berlin' }, attributes: { plan: 'pro', seats: 3, old: null } },
      consent: { email: { method: 'form' } },
    };
    assert.deepEqual(requests, [{ set: known, increment: [] }]);
    const incomplete = await account.post('/v2/workflows', body(stepsOf({ set: { consent: { email: { method: 'form' } } } })));
    assert.equal(incomplete.error?.details[0].path, '/steps/0/set/consent/email/status', incomplete.text);
  });

  await t.test('an update that leaves the steps as they are is not rejected', async () => {
    const response = await account.put(`/v2/workflows/${early.data.id}`, { name: 'New', steps: early.data.steps });
    assert.equal(response.status, 200, response.text);
  });
});
