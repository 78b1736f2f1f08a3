import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronOf, cronParts } from './cron.ts';

test('a time on weekdays is read from its pattern, and written back unchanged', () => {
  assert.deepEqual(cronParts('0 9 * * mon'), { time: '09:00', days: ['mon'] });
  assert.deepEqual(cronParts('30 18 * * mon,fri'), { time: '18:30', days: ['mon', 'fri'] });
  assert.deepEqual(cronParts('5 7 * * *'), { time: '07:05', days: [] });
  assert.equal(cronOf({ time: '18:30', days: ['mon', 'fri'] }), '30 18 * * mon,fri');
});

test('no other pattern is read as one', () => {
  for (const cron of ['*/5 * * * *', '0 9 1 * *', '0 9 * * 1', '0 9 * * mon-fri', '00 9 * * mon', ''])
    assert.equal(cronParts(cron), undefined, cron);
});
