import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Day, Moment, PlannedDay, PlannedMoment, Timezone } from './moment.ts';

test('every accepted time and day has a four-digit year in UTC, and a scheduled one leaves room for durations', () => {
  const year = fc.integer({ min: 0, max: 9_999 }).map((number) => String(number).padStart(4, '0'));
  const offset = fc
    .record({ sign: fc.constantFrom('+', '-'), hours: fc.integer({ min: 0, max: 23 }), minutes: fc.constantFrom('00', '07', '59') })
    .map(({ sign, hours, minutes }) => `${sign}${String(hours).padStart(2, '0')}:${minutes}`);
  const day = fc.constantFrom('01-01', '02-28', '12-31');
  const clock = fc.constantFrom('00:00:00', '23:59:59.999');
  fc.assert(
    fc.property(year, day, clock, fc.oneof(fc.constant('Z'), offset), (yyyy, mmdd, time, zone) => {
      const text = `${yyyy}-${mmdd}T${time}${zone}`;
      const years = (ms: number) => new Date(ms).toISOString();
      if (Moment.safeParse(text).success) assert.match(years(Date.parse(text)), /^\d{4}-/);
      if (PlannedMoment.safeParse(text).success) assert.match(years(Date.parse(text) + 1_000 * 400 * 86_400_000), /^\d{4}-/);
      assert.equal(Day.safeParse(`${yyyy}-${mmdd}`).success, Number(yyyy) >= 1_000);
      assert.equal(PlannedDay.safeParse(`${yyyy}-${mmdd}`).success, Number(yyyy) >= 1_970 && Number(yyyy) < 2_200);
    }),
  );
  for (const text of ['9999-12-31T23:59:59-23:59', '1000-01-01T00:00:00+00:01', '2016-12-31T23:59:60Z', '+010000-01-01T00:00:00Z'])
    assert.equal(Moment.safeParse(text).success, false, text);
  for (const text of ['2026-11-22T08:00:00Z', '2026-11-22T08:00:00.123456789+14:00', '9999-12-31T23:59:59Z'])
    assert.equal(Moment.safeParse(text).success, true, text);
});

test('accepts the names of time zones and rejects offsets', () => {
  for (const zone of ['Europe/Berlin', 'europe/berlin', 'UTC', 'Etc/GMT-14', 'America/Argentina/Buenos_Aires'])
    assert.equal(Timezone.safeParse(zone).success, true, zone);
  for (const zone of ['+00:07', '-23:59', '', 'Mars/Olympus', 'UTC+2', '\ud800', 'x'.repeat(65)])
    assert.equal(Timezone.safeParse(zone).success, false, zone);
});
