import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, mail } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('a trigger that can never fire', async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  await parts.broker.connected();
  const account = testClient(app);
  const create = async (body: object) => {
    const response = await account.post('/v2/workflows', {
      name: 'W',
      steps: [{ id: 'end', type: 'exit' }],
      trigger: { type: 'manual' },
      ...body,
    });
    assert.equal(response.status, 201, response.text);
    return response.data;
  };
  const warned = async (body: object) =>
    (await create(body)).warnings.map(({ path, code }: { path: string; code: string }) => [path, code]);

  await t.test('normalizes its event name as leadpulse does', async () => {
    const { id, trigger, warnings } = await create({ trigger: { type: 'event', name: ' Cafe\u0301 ' } });
    assert.deepEqual([trigger.name, warnings], ['Caf\u00e9', []]);
    assert.equal((await account.get(`/v2/workflows/${id}`)).data.trigger.name, 'Caf\u00e9');
  });

  await t.test('is accepted with a warning if no event can have its name', async () => {
    assert.deepEqual(await warned({ trigger: { type: 'event', name: '$campaign.opened' } }), [['/trigger/name', 'untracked_event']]);
    assert.deepEqual(await warned({ trigger: { type: 'event', name: 'x'.repeat(101) } }), [['/trigger/name', 'untracked_event']]);
    for (const name of ['$pageview', 'order_placed']) assert.deepEqual(await warned({ trigger: { type: 'event', name } }), []);
  });

  await t.test('is accepted with a warning if its fields never change', async () => {
    const fields = ['frist_name', 'revision', 'attributes.plan', 'address', 'city', 'consent.email', 'tags', 'last_seen_at', 'created_at'];
    assert.deepEqual(await warned({ trigger: { type: 'contact_updated', fields } }), [
      ['/trigger/fields/0', 'unknown_field'],
      ['/trigger/fields/1', 'unknown_field'],
      ['/trigger/fields/8', 'unknown_field'],
    ]);
  });

  await t.test('is accepted with a warning if its segments do not exist, until they do', async () => {
    const [gone, there] = [newId('segment'), newId('segment')];
    play.missingSegments.add(gone);
    const steps = [
      { id: 'which', type: 'branch', branches: [{ when: { any: [{ segment: there }, { not: { segment: gone } }] }, to: 'end' }] },
      { id: 'end', type: 'exit' },
    ];
    const { id, warnings } = await create({ trigger: { type: 'segment_entered', segment_id: gone }, steps });
    assert.deepEqual(
      warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [
        ['/trigger/segment_id', 'unknown_segment'],
        ['/steps/0/branches/0/when', 'unknown_segment'],
      ],
    );
    const renamed = await account.put(`/v2/workflows/${id}`, { name: 'New' });
    assert.equal(renamed.data.warnings.length, 2);
    const { data } = await account.get(`/v2/workflows/${id}`);
    assert.equal((await account.put(`/v2/workflows/${id}`, data)).data.revision, data.revision, 'the response of GET can be sent back');
    play.missingSegments.clear();
    assert.deepEqual((await account.post(`/v2/workflows/${id}/pause`)).data.warnings, []);
    assert.deepEqual(await warned({ trigger: { type: 'segment_left', segment_id: there } }), []);
  });

  await t.test(
    'and an attribute that an email reads and no contact has ever had, in a step, its template or a variant, are warnings',
    async () => {
      play.attributes.add('plan');
      const html = '<p>{{ contact.attributes.plan }} {{ contact.attributes.plna }}</p>';
      const template_id = newId('template');
      play.templates.set(template_id, { subject: 'Hi', preview_text: null, html: '<p>{{ contact.attributes.zipp }}</p>', text: null });
      const { html: _, ...bare } = mail;
      const steps = [
        { ...mail, id: 'own', html, next: 'stored' },
        { ...bare, id: 'stored', template_id, next: 'test' },
        {
          ...mail,
          id: 'test',
          html,
          variants: [
            { name: 'A', weight: 50 },
            { name: 'B', weight: 50, subject: '{{ contact.attributes.plann }}' },
          ],
          next: 'end',
        },
        { id: 'end', type: 'exit' },
      ];
      const { id, warnings } = await create({ steps });
      assert.deepEqual(warnings, [
        unknownAttribute('/steps/0', 'own', 'plna'),
        unknownAttribute('/steps/1', 'stored', 'zipp'),
        unknownAttribute('/steps/2', 'test', 'plna'),
        unknownAttribute('/steps/2/variants/1', 'test', 'plann'),
      ]);
      assert.deepEqual((await account.get(`/v2/workflows/${id}`)).data.warnings, warnings);
      const corrected = await account.put(`/v2/workflows/${id}`, { steps: [{ ...mail, id: 'own', html: html.replace('plna', 'plan') }] });
      assert.deepEqual([corrected.status, corrected.data.warnings], [200, []], corrected.text);
    },
  );

  await t.test('has no warning about what other services know while they do not reply', async () => {
    await parts.broker.stop();
    const missing = newId('segment');
    play.missingSegments.add(missing);
    assert.deepEqual(await eventually(() => warned({ trigger: { type: 'segment_left', segment_id: missing } })), []);
    const steps = [{ ...mail, id: 'own', html: '<p>{{ contact.attributes.plna }}</p>' }];
    assert.deepEqual(await warned({ steps }), []);
  });
});

const unknownAttribute = (path: string, step: string, key: string) => ({
  path,
  code: 'unknown_attribute',
  message: `The step ${step}: no contact of the account has ever had the attribute ${key}, which the email reads as contact.attributes.${key}.`,
});
