import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { absolute, moment } from './relative.ts';
import { accountZone, addDays, clockTime, dayOf, showTimesIn, startOfDay, timeAt } from './zone.ts';

const berlin = 'Europe/Berlin';

test('shows times in the zone of the account, with the offset of their season', (t) => {
  t.after(() => showTimesIn('UTC'));
  assert.equal(accountZone(), 'UTC');
  const [winter, summer] = ['2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z'];
  assert.equal(absolute(winter), 'Mar 29, 2026, 12:59:00 AM UTC');
  showTimesIn(berlin);
  assert.equal(absolute(winter), 'Mar 29, 2026, 1:59:00 AM GMT+1');
  assert.equal(absolute(summer), 'Mar 29, 2026, 3:00:00 AM GMT+2');
  assert.equal(moment('2026-10-25T00:30:00Z'), moment('2026-10-25T01:30:00Z'), 'the same hour on the clock, twice');
  showTimesIn('America/New_York');
  assert.equal(absolute(summer), 'Mar 28, 2026, 9:00:00 PM EDT');
});

test('a day begins and ends by the clock of the zone, even with 23 or 25 hours', () => {
  assert.equal(dayOf('2026-03-28T23:30:00Z', berlin), '2026-03-29');
  assert.equal(dayOf('2026-03-28T23:30:00Z', 'America/New_York'), '2026-03-28');
  const hoursOf = (day: string) => (Date.parse(startOfDay(addDays(day, 1), berlin)) - Date.parse(startOfDay(day, berlin))) / 3_600_000;
  assert.deepEqual([hoursOf('2026-03-28'), hoursOf('2026-03-29'), hoursOf('2026-10-25')], [24, 23, 25]);
  assert.equal(startOfDay('2026-07-01', berlin), '2026-06-30T22:00:00.000Z');
  assert.equal(startOfDay('2026-03-08', 'America/Havana'), '2026-03-08T05:00:00.000Z', 'midnight is skipped there');
});

test('reads what is typed by the clock of the zone', () => {
  assert.equal(timeAt('2026-01-15T09:00', berlin), '2026-01-15T08:00:00.000Z');
  assert.equal(timeAt('2026-07-15T09:00', berlin), '2026-07-15T07:00:00.000Z');
  assert.equal(timeAt('2026-03-29T02:30', berlin), '2026-03-29T01:30:00.000Z', 'skipped: 3:30');
  assert.equal(timeAt('2026-10-25T02:30', berlin), '2026-10-25T00:30:00.000Z', 'twice: the first one');
  assert.equal(timeAt('2026-07-15T09:00', 'Asia/Kolkata'), '2026-07-15T03:30:00.000Z');
  assert.deepEqual([timeAt('', berlin), timeAt('soon', berlin), clockTime('', berlin)], ['', '', '']);
});

test('reads back what it shows', () => {
  const zones = fc.constantFrom('UTC', berlin, 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Apia');
  const minutes = fc.integer({ min: Date.parse('2000-01-01') / 60_000, max: Date.parse('2037-01-01') / 60_000 });
  fc.assert(
    fc.property(zones, minutes, (zone, minute) => {
      const shown = clockTime(new Date(minute * 60_000).toISOString(), zone);
      assert.equal(clockTime(timeAt(shown, zone), zone), shown);
    }),
  );
});
