import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayIn, firstInstantOf, instantOf, spanOf, Timezone } from './calendar.ts';
import { dayMs } from './duration.ts';

const iso = (instant: number | undefined) => (instant === undefined ? undefined : new Date(instant).toISOString());
const span = (text: string, zone: string) => {
  const found = spanOf(text, zone);
  return found && [iso(found.start), iso(found.end)];
};

test('a day begins and ends at midnight of its zone, even when it has 23 or 25 hours', () => {
  assert.deepEqual(span('2026-05-01', 'UTC'), ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z']);
  assert.deepEqual(span('2026-03-29', 'Europe/Berlin'), ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  assert.deepEqual(span('2026-10-25', 'Europe/Berlin'), ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
});

test('a day whose midnight is skipped starts when clocks jump', () => {
  assert.deepEqual(span('2018-11-04', 'America/Sao_Paulo'), ['2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z']);
});

test('a day whose midnight occurs twice starts at the first one', () => {
  assert.deepEqual(span('2026-11-01', 'America/Havana'), ['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z']);
});

test('a day that its zone skipped has no length', () => {
  assert.deepEqual(span('2011-12-30', 'Pacific/Apia'), ['2011-12-30T10:00:00.000Z', '2011-12-30T10:00:00.000Z']);
});

test('reads a time without offset in the zone; a skipped time is the instant of the jump', () => {
  assert.equal(span('2026-07-01T09:30', 'Europe/Berlin')?.[0], '2026-07-01T07:30:00.000Z');
  assert.equal(span('2026-03-29T02:30:00', 'Europe/Berlin')?.[0], '2026-03-29T01:00:00.000Z');
  assert.equal(span('2026-10-25T02:30:00', 'Europe/Berlin')?.[0], '2026-10-25T00:30:00.000Z');
  assert.equal(span('2026-07-01T09:30:15.25+05:30', 'Europe/Berlin')?.[0], '2026-07-01T04:00:15.250Z');
});

test('rejects texts that are not dates', () => {
  for (const text of [
    '',
    'x',
    '2026',
    '2026-5-1',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T24:00',
    '2026-01-01T10:60',
    '2026-01-01 10:00',
    '0001-01-01',
  ]) {
    assert.equal(spanOf(text, 'UTC'), undefined, text);
  }
  for (const value of [new Date(Number.NaN), new Date(8.64e15), 5, true, null, undefined, ['2026-01-01']])
    assert.equal(instantOf(value, 'UTC'), undefined);
});

test('a zone is an IANA name', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires']) assert.ok(Timezone.safeParse(zone).success);
  for (const zone of ['', 'Mars/Base', '+02:00', 'local']) assert.equal(Timezone.safeParse(zone).success, false, zone);
});

test('the days of any zone have no gaps, and each instant is within its own day', () => {
  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/Havana',
    'America/Sao_Paulo',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'America/Nuuk',
    'Australia/Lord_Howe',
    'Africa/Cairo',
  );
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 0, 1) }), zones, (instant, zone) => {
      const day = dayIn(zone, instant);
      assert.ok(firstInstantOf(day, zone) <= instant);
      assert.ok(instant < firstInstantOf(day + dayMs, zone));
      assert.notEqual(dayIn(zone, firstInstantOf(day, zone) - 1), day);
    }),
    { numRuns: 1_000 },
  );
});
