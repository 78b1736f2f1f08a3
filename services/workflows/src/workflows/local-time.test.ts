import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zoneOf } from '@mp/rules/calendar';
import { dateInstant, nextLocalTime } from './local-time.ts';

const at = (text: string) => new Date(text);
const iso = (date: Date | undefined) => date?.toISOString();

test('the next local time is strictly later, on a wanted weekday, and follows daylight saving time', () => {
  const berlin = (now: string, time: string, weekdays?: ('mon' | 'sun')[]) =>
    nextLocalTime(at(now), { time, ...(weekdays && { weekdays }) }, 'Europe/Berlin').toISOString();
  assert.equal(berlin('2026-01-05T07:59:59Z', '09:00'), '2026-01-05T08:00:00.000Z');
  assert.equal(berlin('2026-01-05T08:00:00Z', '09:00'), '2026-01-06T08:00:00.000Z');
  assert.equal(berlin('2026-01-05T08:00:00Z', '09:00', ['mon']), '2026-01-12T08:00:00.000Z');
  assert.equal(berlin('2026-03-28T12:00:00Z', '09:00', ['sun']), '2026-03-29T07:00:00.000Z', 'summer time');
  assert.equal(berlin('2026-03-28T12:00:00Z', '02:30', ['sun']), '2026-03-29T01:00:00.000Z', 'a time that is skipped');
  assert.equal(nextLocalTime(at('2026-01-05T23:00:00Z'), { time: '09:00' }, 'Pacific/Auckland').toISOString(), '2026-01-06T20:00:00.000Z');
});

test('a date of a contact is moved by the offset and set to the time of day in the zone', () => {
  assert.equal(iso(dateInstant('2026-05-10', { offset: '-P3D', time: '09:00' }, 'Europe/Berlin')), '2026-05-07T07:00:00.000Z');
  assert.equal(iso(dateInstant('2026-05-10', {}, 'America/New_York')), '2026-05-10T04:00:00.000Z');
  assert.equal(iso(dateInstant('2026-05-10T18:00:00Z', { offset: 'PT1H' }, 'UTC')), '2026-05-10T19:00:00.000Z');
  for (const value of ['soon', 3, null, undefined, '2026-02-30']) assert.equal(dateInstant(value, {}, 'UTC'), undefined);
});

test('a contact without a valid time zone is in the fallback zone', () => {
  assert.deepEqual(
    [zoneOf('Asia/Tokyo', 'UTC'), zoneOf(null, 'UTC'), zoneOf('Nowhere/City', 'UTC'), zoneOf('+02:00', 'UTC')],
    ['Asia/Tokyo', 'UTC', 'UTC', 'UTC'],
  );
});
