import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streams } from '@mp/contracts/streams';
import { testParts } from '@mp/test-kit/test-parts';

test('erasing from a stream', async (t) => {
  const { broker } = await testParts(t, 'kit');
  broker.start();
  const { manager } = await broker.connected();
  const fill = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => broker.publish('leadpulse.test', `message ${index}`)));
  const stream = broker.streamOf(streams.leadpulse.name);

  await t.test('erases nothing from an empty stream', async () => {
    assert.equal(await broker.eraseFrom(streams.leadpulse, () => true), 0);
  });

  await t.test('deletes the messages that mention the contact and keeps the rest', async () => {
    await fill(2_500);
    assert.equal(await broker.eraseFrom(streams.leadpulse, (_, payload) => payload.endsWith('7')), 250);
    assert.equal((await manager.streams.info(stream)).state.messages, 2_250);
    assert.equal(await broker.eraseFrom(streams.leadpulse, (_, payload) => payload.endsWith('7')), 0);
  });

  await t.test('fails instead of waiting forever when others delete its messages', async () => {
    let purging: Promise<unknown> | undefined;
    const mentions = () => {
      purging ??= manager.streams.purge(stream);
      return false;
    };
    await assert.rejects(broker.eraseFrom(streams.leadpulse, mentions), /stopped before its end/);
    await purging;
  });
});
