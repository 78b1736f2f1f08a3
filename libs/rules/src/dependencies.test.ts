import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityNames, type Change, dependenciesOf, touches } from './dependencies.ts';
import { Rule } from './rule.ts';

const dependencies = dependenciesOf(
  Rule.parse({
    all: [
      { field: 'city', op: 'eq', value: 'Berlin' },
      {
        any: [
          { field: 'attributes.plan', op: 'exists' },
          { date: 'attributes.plan', op: 'on', value: '2026-05-01' },
        ],
      },
      { not: { event: 'order_placed', in_last: 'P30D' } },
      { event: 'order_placed', count: { gte: 2 } },
      { campaign: 'campaign_1', activity: 'opened' },
      { campaign: 'any', activity: 'clicked' },
      { form: 'form_1', activity: 'submitted' },
      { form: 'any', activity: 'confirmed' },
      { segment: 'segment_1' },
    ],
  }),
);

test('lists each dependency of a rule once, fields by their full names', () => {
  assert.deepEqual(dependencies, {
    fields: ['address.city', 'attributes.plan'],
    events: ['order_placed'],
    campaigns: [
      { campaign: 'campaign_1', activity: 'opened' },
      { campaign: 'any', activity: 'clicked' },
    ],
    forms: [
      { form: 'form_1', activity: 'submitted' },
      { form: 'any', activity: 'confirmed' },
    ],
    segments: ['segment_1'],
    time: true,
  });
  assert.deepEqual(activityNames(dependencies), [
    ...['order_placed', '$campaign.opened', '$campaign.clicked'],
    ...['$form.submitted', '$form.confirmed'],
  ]);
});

test('only windows, now and anniversaries depend on time', () => {
  const time = (leaf: object) => dependenciesOf(Rule.parse({ not: leaf })).time;
  for (const leaf of [
    { date: 'created_at', op: 'in_last', value: 'P1D' },
    { date: 'created_at', op: 'not_in_last', value: 'P1D' },
    { date: 'created_at', op: 'in_next', value: 'P1D' },
    { date: 'created_at', op: 'before', value: 'now' },
    { date: 'created_at', op: 'anniversary' },
    { event: 'x', in_last: 'P1D' },
    { campaign: 'any', activity: 'sent', in_last: 'P1D' },
    { form: 'any', activity: 'submitted', in_last: 'P1D' },
  ]) {
    assert.equal(time(leaf), true);
  }
  for (const leaf of [
    { date: 'created_at', op: 'after', value: '2026-05-01' },
    { date: 'created_at', op: 'on', value: '2026-05-01' },
    { field: 'created_at', op: 'gt', value: '2026-05-01' },
    { event: 'x' },
    { segment: 'segment_1' },
  ]) {
    assert.equal(time(leaf), false);
  }
});

test('a change affects exactly the rules that depend on it', () => {
  const touching: Change[] = [
    { fields: ['tags', 'address.city'] },
    { fields: ['address'] },
    { fields: ['attributes.plan'] },
    { fields: ['attributes'] },
    { event: 'order_placed' },
    { segment: 'segment_1' },
    { campaignActivity: 'opened' },
    { campaignActivity: 'opened', campaign: 'campaign_1' },
    { campaignActivity: 'clicked', campaign: 'campaign_7' },
    { formActivity: 'submitted', form: 'form_1' },
    { formActivity: 'confirmed', form: 'form_7' },
  ];
  const leaving: Change[] = [
    {},
    { fields: ['tags', 'address.country', 'attributes.planet', 'city'] },
    { event: 'signed_in' },
    { segment: 'segment_2' },
    { campaignActivity: 'sent' },
    { campaignActivity: 'opened', campaign: 'campaign_2' },
    { formActivity: 'submitted', form: 'form_2' },
  ];
  for (const change of touching) assert.equal(touches(dependencies, change), true, JSON.stringify(change));
  for (const change of leaving) assert.equal(touches(dependencies, change), false, JSON.stringify(change));
});
