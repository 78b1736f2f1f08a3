import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quietUntil } from './quiet-hours.ts';

const night = { from: '21:00', to: '08:00', timezone: 'Europe/Berlin' };
const until = (quiet: typeof night, zone: string | null, now: string) => quietUntil(quiet, zone, new Date(now))?.toISOString();

test('quiet hours are those of the zone of the contact, across midnight and clock changes', () => {
  assert.equal(until(night, null, '2026-07-01T20:00:00Z'), '2026-07-02T06:00:00.000Z');
  assert.equal(until(night, null, '2026-07-02T05:59:59Z'), '2026-07-02T06:00:00.000Z');
  assert.equal(until(night, null, '2026-07-02T06:00:00Z'), undefined);
  assert.equal(until(night, null, '2026-07-01T18:59:59Z'), undefined);
  assert.equal(until(night, 'America/New_York', '2026-07-01T20:00:00Z'), undefined);
  assert.equal(until(night, 'America/New_York', '2026-07-02T02:00:00Z'), '2026-07-02T12:00:00.000Z');
  assert.equal(until(night, 'Nowhere/Atall', '2026-07-01T20:00:00Z'), '2026-07-02T06:00:00.000Z');
  // Clocks in Berlin go forward at 01:00 UTC on 29 March.
  assert.equal(until(night, null, '2026-03-28T22:00:00Z'), '2026-03-29T06:00:00.000Z');
  const noon = { ...night, from: '12:00', to: '13:00' };
  assert.equal(until(noon, null, '2026-01-05T11:30:00Z'), '2026-01-05T12:00:00.000Z');
  assert.equal(until(noon, null, '2026-01-05T12:00:00Z'), undefined);
  const allButAMinute = { ...night, from: '02:01', to: '02:00' };
  assert.equal(until(allButAMinute, null, '2029-03-24T01:01:00Z'), '2029-03-26T00:00:00.000Z');
});

test('after quiet hours it is not quiet, whatever the time and zone', () => {
  const clock = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}`);
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Casablanca');
  const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(clock, clock, zone, moment, (from, to, name, now) => {
      if (from === to) return;
      const end = quietUntil({ from, to, timezone: 'UTC' }, name, now);
      if (end) assert.ok(end > now && !quietUntil({ from, to, timezone: 'UTC' }, name, end));
    }),
  );
});
