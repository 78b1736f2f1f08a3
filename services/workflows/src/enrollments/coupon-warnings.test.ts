import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { liveService } from '../../test/live-service.ts';
import { mail } from '../../test/setting.ts';

test('before an activation, coupons of its emails that do not suffice are named', async (t) => {
  const { account, create, play } = await liveService(t);
  const coupon = (name: string, codes_left: number | null, expires_at: string | null = null) =>
    play.coupons.set(name, { name, codes_left, expires_at });
  const segment_id = newId('segment');
  play.members.set(
    segment_id,
    Array.from({ length: 40 }, () => newId('contact')),
  );
  const onSegment = { type: 'segment_entered', segment_id };
  const reading = (name: string) => ({ id: 'mail', ...mail, html: `<p>{{ coupon.${name} }}</p>` });
  const warningsOf = async (trigger: object, step: object) => {
    const { id } = await create({ trigger, status: 'draft', steps: [step] });
    const { status, data, text } = await account.get(`/v2/workflows/${id}/activation`);
    assert.equal(status, 200, text);
    return data.warnings;
  };
  const low = (message: string) => [{ code: 'coupon_codes_low', message: `${message} Emails without a code are skipped.` }];
  for (const [name, left] of [
    ['spring', 12],
    ['enough', 40],
    ['none', 0],
    ['shared', null],
    ['late', 90],
  ] as const)
    coupon(name, left, name === 'late' ? '2020-01-01T00:00:00.000Z' : null);

  await t.test('fewer codes than contacts that can start', async () => {
    const expected = low('The coupon spring has 12 codes left; 40 contacts can start now.');
    assert.deepEqual(await warningsOf(onSegment, reading('spring')), expected);
    assert.deepEqual(await warningsOf(onSegment, reading('enough')), []);
    assert.deepEqual(await warningsOf(onSegment, reading('shared')), []);
    assert.deepEqual(await warningsOf({ type: 'contact_created' }, reading('spring')), []);
  });

  await t.test('no codes, or only expired ones, even when no contact can start now', async () => {
    for (const trigger of [onSegment, { type: 'contact_created' }]) {
      assert.deepEqual(await warningsOf(trigger, reading('none')), low('The coupon none has no codes left.'));
      const [{ code, message }] = await warningsOf(trigger, reading('late'));
      assert.deepEqual([code, message.split('. ')[0]], ['coupon_expired', 'The coupon late expired at 2020-01-01T00:00:00.000Z']);
    }
  });

  await t.test('in templates, variants and the workflows that a step starts', async () => {
    const template_id = newId('template');
    play.templates.set(template_id, { subject: 'Hi', preview_text: null, html: '<p>{{ coupon.none }}</p>', text: null });
    const { html: _, ...rest } = mail;
    const ofTemplate = { id: 'mail', ...rest, template_id };
    const variants = [
      { name: 'A', weight: 50 },
      { name: 'B', weight: 50, html: '<p>{{ coupon.none }}</p>' },
    ];
    const inner = await create({ steps: [reading('none')] });
    for (const step of [ofTemplate, { id: 'mail', ...mail, variants }, { id: 'go', type: 'start_workflow', workflow_id: inner.id }])
      assert.deepEqual(await warningsOf(onSegment, step), low('The coupon none has no codes left.'));
  });
});
