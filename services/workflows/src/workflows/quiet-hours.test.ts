import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextLocalTime } from './local-time.ts';
import { quietUntil } from './quiet-hours.ts';

const at = (text: string) => new Date(text);
const iso = (date: Date | undefined) => date?.toISOString();

test('quiet hours end on time, including across midnight and daylight saving time', () => {
  const night = { from: '21:00', to: '08:00' };
  assert.equal(iso(quietUntil(at('2026-01-05T19:59:59Z'), night, 'Europe/Berlin')), undefined);
  assert.equal(iso(quietUntil(at('2026-01-05T20:00:00Z'), night, 'Europe/Berlin')), '2026-01-06T07:00:00.000Z');
  assert.equal(iso(quietUntil(at('2026-01-06T06:59:59Z'), night, 'Europe/Berlin')), '2026-01-06T07:00:00.000Z');
  assert.equal(iso(quietUntil(at('2026-01-06T07:00:00Z'), night, 'Europe/Berlin')), undefined);
  assert.equal(iso(quietUntil(at('2026-03-28T22:00:00Z'), night, 'Europe/Berlin')), '2026-03-29T06:00:00.000Z');
  assert.equal(iso(quietUntil(at('2026-01-05T12:30:00Z'), { from: '12:00', to: '13:00' }, 'UTC')), '2026-01-05T13:00:00.000Z');
});

test('quiet hours whose end does not exist on a day continue until the next end', () => {
  const allButAMinute = { from: '02:01', to: '02:00' };
  assert.equal(iso(quietUntil(at('2029-03-24T01:01:00Z'), allButAMinute, 'Europe/Berlin')), '2029-03-26T00:00:00.000Z');
});

test('after quiet hours it is not quiet, and the next local time is later, whatever the time and zone', () => {
  const clock = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}`);
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Casablanca');
  fc.assert(
    fc.property(
      clock,
      clock,
      zone,
      fc.date({ min: at('2020-01-01'), max: at('2030-01-01'), noInvalidDate: true }),
      (start, end, name, now) => {
        if (start === end) return;
        const until = quietUntil(now, { from: start, to: end }, name);
        if (until) assert.ok(until > now && !quietUntil(until, { from: start, to: end }, name));
        assert.ok(nextLocalTime(now, { time: start }, name) > now);
      },
    ),
  );
});
