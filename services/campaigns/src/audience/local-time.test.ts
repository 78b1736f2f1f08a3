import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wallClock } from '@mp/rules/calendar';
import fc from 'fast-check';
import { plannedTimes, startsAt, type Timed } from './local-time.ts';

const zones = Intl.supportedValuesOf('timeZone');
const local = (schedule_at: string, fallback_timezone: string): Timed => ({ timezone_mode: 'recipient', fallback_timezone, schedule_at });
const planned = (campaign: Timed, zone: string | null) => plannedTimes(campaign)(zone)?.toISOString();

test('each contact gets the email at the local time of the schedule, and contacts without a known zone at that of the fallback', () => {
  const nine = local('2026-07-01T09:00:00+02:00', 'Europe/Berlin');
  assert.equal(planned(nine, 'Europe/Berlin'), '2026-07-01T07:00:00.000Z');
  assert.equal(planned(nine, null), '2026-07-01T07:00:00.000Z');
  assert.equal(planned(nine, 'Nowhere/Atall'), '2026-07-01T07:00:00.000Z');
  assert.equal(planned(nine, 'America/New_York'), '2026-07-01T13:00:00.000Z');
  assert.equal(planned(nine, 'Asia/Kolkata'), '2026-07-01T03:30:00.000Z');
  // Clocks in New York skip from 02:00 to 03:00 on 8 March, and show 01:30 twice on 1 November.
  assert.equal(planned(local('2026-03-08T02:30:00Z', 'UTC'), 'America/New_York'), '2026-03-08T07:00:00.000Z');
  assert.equal(planned(local('2026-11-01T01:30:00Z', 'UTC'), 'America/New_York'), '2026-11-01T05:30:00.000Z');
});

test('without local times, everyone gets it at the time of the schedule', () => {
  const fixed: Timed = { timezone_mode: 'fixed', fallback_timezone: 'Europe/Berlin', schedule_at: '2026-07-01T07:00:00Z' };
  assert.equal(planned(fixed, 'America/New_York'), '2026-07-01T07:00:00.000Z');
  assert.equal(startsAt(fixed)?.toISOString(), '2026-07-01T07:00:00.000Z');
  assert.equal(planned({ schedule_at: null }, null), undefined);
  assert.equal(startsAt({ schedule_at: null }), null);
});

test('in every zone and at any time, the planned instant is the first at which clocks there show the local time, and never before the start', () => {
  const minute = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 });
  fc.assert(
    fc.property(minute, fc.constantFrom(...zones), fc.constantFrom(...zones), (at, fallback, zone) => {
      const campaign = local(new Date(at * 60_000).toISOString(), fallback);
      const wall = wallClock(at * 60_000, fallback);
      const instant = plannedTimes(campaign)(zone)?.getTime() ?? Number.NaN;
      assert.ok(wallClock(instant, zone) >= wall, 'clocks show the local time, or have jumped over it');
      if (zone === fallback) assert.equal(instant, at * 60_000);
      else assert.ok(wallClock(instant - 1, zone) < wall, 'no earlier instant shows it');
      assert.equal(plannedTimes(campaign)(fallback)?.getTime(), at * 60_000, 'the fallback gets it at schedule_at');
      const start = startsAt(campaign)?.getTime() ?? Number.NaN;
      assert.ok(start <= instant && instant - start <= 27 * 3_600_000, 'the audience is frozen before, by little more than a day');
    }),
    { numRuns: 2_000 },
  );
});
