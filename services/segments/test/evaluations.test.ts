import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { touches } from '@mp/rules/dependencies';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { applyAll, backfillAll, contactWith, livingIn, origin } from './contacts.ts';

test('a change evaluates only the segments it can affect', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const rules: Rule[] = Array.from({ length: 10 }, (_, index): Rule[] => [
    { field: 'address.city', op: 'eq', value: `City ${index}` },
    { field: `attributes.a${index}`, op: 'exists' },
    { event: `event_${index}`, count: { gte: 3 }, in_last: 'P7D' },
    {
      all: [
        { field: 'tags', op: 'contains', value: `tag${index}` },
        { date: 'created_at', op: 'in_last', value: 'P30D' },
      ],
    },
    { campaign: 'any', activity: 'opened', in_last: 'P7D' },
  ]).flat();
  for (const [index, definition] of rules.entries()) await account.post('/v2/segments', { name: `S${index}`, definition });
  await backfillAll(built);
  const dependencies = rules.map((rule) => compileRule(rule).dependencies);
  const contact = contactWith(livingIn('Bonn'));
  await applyAll(parts, built, account.accountId, [contact]);

  const begun = built.evaluations();
  let needed = 0;
  for (let change = 0; change < 45; change += 1) {
    const kind = change % 3;
    if (kind < 2) {
      const field = kind === 0 ? 'address.city' : `attributes.a${change % 10}`;
      const before = (await built.profiles.findOne(account.accountId, contact.id))?.contact ?? contact;
      const members = kind === 0 ? livingIn(`City ${change % 10}`) : { attributes: { ...before.attributes, [`a${change % 10}`]: change } };
      await applyAll(parts, built, account.accountId, [{ ...before, ...members, revision: change + 2 }]);
      needed += dependencies.filter((own) => touches(own, { fields: [field] })).length;
    } else {
      const name = `event_${change % 10}`;
      const activity = { id: newId('activity'), name, time: new Date(), properties: {}, machine: false };
      await parts.mongo.transaction(origin(), (tx) =>
        built.applyActivities(tx, account.accountId, 'activity', [
          { contactId: contact.id, activity, touchedIn: (index) => index.touchedByEvent(name) },
        ]),
      );
      needed += dependencies.filter((own) => touches(own, { event: name })).length;
    }
  }
  const done = built.evaluations() - begun;
  t.diagnostic(`evaluations done ${done}, needed ${needed}`);
  assert.ok(done / needed <= 1.2, `${done} evaluations where ${needed} were needed`);
});
