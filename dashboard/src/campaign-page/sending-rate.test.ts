import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateOf, type Sample, withSample } from './sending-rate.ts';

const ofSamples = (all: readonly (readonly [second: number, done: number])[]) =>
  rateOf(all.reduce<readonly Sample[]>((samples, [second, done]) => withSample(samples, { at: second * 1_000, done }), []));

test('the rate of sending is that of the last minute, and unknown at first', () => {
  assert.equal(ofSamples([]), undefined);
  assert.equal(
    ofSamples([
      [0, 0],
      [4, 40],
    ]),
    undefined,
  );
  assert.equal(
    ofSamples([
      [0, 0],
      [4, 40],
      [10, 100],
    ]),
    600,
  );
  assert.equal(
    ofSamples([
      [0, 0],
      [60, 6_000],
      [90, 6_010],
      [120, 6_020],
    ]),
    20,
  );
});
