import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimulationEvent } from '../workflows.ts';
import { draftErrors, draftOf, eventLabel, eventOf, eventTypes, inOrder, newDraft, possibleTypes, whenLabel } from './events.ts';

const events: SimulationEvent[] = [
  { type: 'event', name: 'order_placed', properties: { total: 49, plan: 'pro' }, after: 'P2D' },
  { type: 'message_opened', step_id: 'mail', after: 'PT90M' },
  { type: 'message_clicked', step_id: 'mail', after: 'PT36H' },
  { type: 'segment_entered', segment_id: 'segment_1', after: 'P1W' },
  { type: 'segment_left', segment_id: 'segment_1', after: 'P8D' },
  { type: 'form_submitted', form_id: 'form_1', after: 'P9D' },
  { type: 'form_confirmed', form_id: 'form_1', after: 'P10D' },
  { type: 'contact_updated', set: { first_name: 'Ada', attributes: { seats: 9 } }, after: 'P0D' },
];
const mail = { id: 'mail', type: 'send', name: 'Say hello', from: { email: 'a@example.com' }, subject: 'Hi', html: '' } as const;

test('puts events in the order of their times, whatever their units', () => {
  assert.deepEqual(inOrder(events).map(whenLabel), [
    'At the start',
    'After 90 minutes',
    'After 36 hours',
    'After 2 days',
    'After 1 week',
    'After 8 days',
    'After 9 days',
    'After 10 days',
  ]);
});

test('says what each event is', () => {
  assert.deepEqual(
    events.map((event) => eventLabel(event, [mail], () => '“Big teams”')),
    [
      'The event order_placed happens with total 49 and plan “pro”',
      'Opens “Say hello”',
      'Clicks a link in “Say hello”',
      'Enters “Big teams”',
      'Leaves “Big teams”',
      'Submits “Big teams”',
      'Confirms “Big teams”',
      'Set First name to “Ada”, Set seats to 9',
    ],
  );
});

test('edits an event without a change to what it was', () => {
  for (const event of events) assert.deepEqual(eventOf(draftOf(event)), event);
});

test('names what is missing for each type', () => {
  const missing = Object.keys(eventTypes).map((type) => Object.keys(draftErrors({ ...newDraft, type: optionType(type) })));
  assert.deepEqual(missing.flat(), ['name', 'step_id', 'step_id', 'segment_id', 'segment_id', 'form_id', 'form_id', 'set']);
  for (const event of events) assert.deepEqual(draftErrors(draftOf(event)), {});
});

test('offers opens and clicks only where an email is sent', () => {
  assert.equal(possibleTypes([mail]).length, 8);
  assert.deepEqual(
    possibleTypes([]).map(({ value }) => value),
    ['event', 'segment_entered', 'segment_left', 'form_submitted', 'form_confirmed', 'contact_updated'],
  );
});

const optionType = (type: string) => events.find((event) => event.type === type)?.type ?? 'event';
