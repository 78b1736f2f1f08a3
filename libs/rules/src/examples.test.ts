import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Activity, campaignActivities, campaignActivityOf, formActivities, formActivityOf } from './activity.ts';
import { aggregateNames } from './aggregate.ts';
import { type ExampleEvent, type ExampleSubject, exampleNow } from './examples/example.ts';
import { ruleSections } from './examples.ts';
import { fieldOps } from './fields.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';
import type { Subject } from './subject.ts';

const campaign = 'campaign_01kjn2v0a7e8ws3q4m5x6y0001';
const form = 'form_01kjn2v0a7e8ws3q4m5x6y0001';

function activityOf({ name = '', activity, formActivity, daysAgo, amount, properties = {} }: ExampleEvent): Activity {
  const time = new Date(exampleNow.getTime() - daysAgo * 86_400_000);
  if (activity) return campaignActivityOf(campaign, activity, time);
  if (formActivity) return formActivityOf(form, formActivity, time);
  return { name, time, properties, value: amount === undefined ? null : { amount, currency: 'EUR' } };
}

function subjectOf({ contact = {}, events = [], segments = [] }: ExampleSubject): Subject {
  const activities = events.map(activityOf).toSorted((a, b) => b.time.getTime() - a.time.getTime());
  return { contact, activities: (name) => activities.filter((activity) => activity.name === name), segments: new Set(segments) };
}

const examples = ruleSections.flatMap(({ title, examples }) => examples.map((example) => ({ title, ...example })));

test('every example of the rule language matches the contact it should match, and not the other', () => {
  for (const { title, means, rule, matches, fails } of examples) {
    const compiled = compileRule(Rule.parse(rule));
    assert.equal(compiled.matches(subjectOf(matches), exampleNow).matches, true, `${title}: ${means}`);
    assert.equal(compiled.matches(subjectOf(fails), exampleNow).matches, false, `${title}: ${means}`);
  }
});

test('there is an example of every operator, aggregate and kind of condition', () => {
  const shown = examples.map(({ rule }) => rule);
  const has = (name: string, value?: string) =>
    shown.some((rule) => Object.entries(rule).some(([key, own]) => key === name && (value === undefined || own === value)));
  const ofDates = ['in_last', 'not_in_last', 'in_next', 'before', 'after', 'on', 'anniversary'];
  const kinds = [
    'all',
    'any',
    'not',
    'field',
    'date',
    'event',
    'campaign',
    'form',
    'segment',
    'where',
    'count',
    'in_last',
    'within',
    'timezone',
  ];
  assert.deepEqual(
    [...fieldOps, ...ofDates].filter((op) => !has('op', op)),
    [],
  );
  assert.deepEqual(
    [...kinds, ...aggregateNames].filter((name) => !has(name)),
    [],
  );
  const campaignText = ruleSections.find(({ title }) => title === 'Campaign activity')?.text ?? '';
  assert.ok(campaignActivities.every((activity) => campaignText.includes(`\`${activity}\``)));
  const formText = ruleSections.find(({ title }) => title === 'Form activity')?.text ?? '';
  assert.ok(formActivities.every((activity) => formText.includes(`\`${activity}\``)));
});
