import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { allReady, isTaken, startCampaign } from '../../../test/started-campaign.ts';

test('a batch with a failed write stays in progress until its last email is settled', async (t) => {
  const { queue, smtp, states, worker: create } = await startCampaign(t, 10);
  let writes = 0;
  let delivering = 0;
  const serverReplies = Promise.withResolvers<void>();
  const worker = create({
    queue: {
      ...queue,
      async startSending(...args) {
        writes += 1;
        if (writes === 1) throw new Error('the first write fails');
        return queue.startSending(...args);
      },
    },
    smtp: {
      ...smtp,
      async deliver(_envelope, _raw, handover) {
        if (!(await isTaken(handover))) return undefined;
        delivering += 1;
        await serverReplies.promise;
        return { kind: 'accepted', response: '250 OK' };
      },
    },
  });
  worker.start();
  await eventually(async () => delivering === 9);
  let stopped = false;
  const stopping = worker.stop().then(() => {
    stopped = true;
  });
  // Long enough for a stop that does not wait to finish.
  await states();
  await states();
  assert.deepEqual([stopped, (await states()).sending], [false, 9]);
  serverReplies.resolve();
  await stopping;
  const { sent, queued } = await states();
  assert.deepEqual(
    [sent, queued],
    [9, 1],
    'emails at the mail server are recorded before the stop, and emails that were not sent are due again',
  );
});

test('sends a batch that takes longer to prepare than a claim lasts', async (t) => {
  const { queue, states, worker: create } = await startCampaign(t, 5);
  let renewals = 0;
  const worker = create(
    {
      queue: {
        ...queue,
        async renew(...args) {
          await queue.renew(...args);
          renewals += 1;
        },
      },
      async prepareBatch(claimed) {
        const claimedUntil = claimed[0]?.due_at?.getTime() ?? 0;
        await eventually(async () => Date.now() > claimedUntil && renewals > 0);
        return allReady(claimed);
      },
    },
    { claimMs: 300 },
  );
  worker.start();
  try {
    await eventually(async () => (await states()).sent === 5);
  } finally {
    await worker.stop();
  }
});

test('returns unused throttle allowance after every kind of failure', async (t) => {
  const { campaigns, smtp, queue, states, steer, worker: create } = await startCampaign(t, 5, 6_000);
  const faults = ['claim', 'prepare', 'pause', 'unreachable'];
  const met: string[] = [];
  const meets = (fault: string) => faults[0] === fault && met.push(faults.shift() ?? '') > 0;
  let taken = 0;
  const worker = create({
    campaigns: {
      ...campaigns,
      async reserve(...args) {
        const count = await campaigns.reserve(...args);
        taken += count;
        return count;
      },
      async giveBack(lane, count) {
        await campaigns.giveBack(lane, count);
        taken -= count;
      },
    },
    queue: {
      ...queue,
      async claim(...args) {
        if (meets('claim')) throw new Error('the claim fails');
        return queue.claim(...args);
      },
      async release(rows, dueAt) {
        await queue.release(rows, dueAt);
        if (rows.length > 0 && met.at(-1) === 'pause') await steer('send');
      },
    },
    async prepareBatch(claimed) {
      if (meets('prepare')) throw new Error('composing fails');
      if (meets('pause')) {
        await steer('none');
        worker.wake();
      }
      return allReady(claimed);
    },
    smtp: {
      ...smtp,
      async deliver(envelope, raw, handover) {
        return meets('unreachable') ? { kind: 'unreachable', error: 'refused' } : smtp.deliver(envelope, raw, handover);
      },
    },
  });
  worker.start();
  await eventually(async () => (await states()).sent === 5);
  await worker.stop();
  assert.deepEqual([met, taken], [['claim', 'prepare', 'pause', 'unreachable'], 5]);
});

test('batches that keep failing are logged the first time, every tenth time and on recovery', async (t) => {
  const { queue, states, worker: create } = await startCampaign(t, 20);
  const lines: string[] = [];
  const line = (_: unknown, said?: string) => {
    if (said?.startsWith('sending a batch')) lines.push(said);
  };
  let prepared = 0;
  const worker = create({
    logger: { warn: line, info: line, debug: () => undefined },
    // Due at once, even after a failure.
    queue: { ...queue, release: (rows) => queue.release(rows) },
    async prepareBatch(claimed) {
      prepared += 1;
      if (prepared <= 12) throw new Error('composing fails');
      // One at a time, so that enough batches succeed to count as a recovery.
      return { ...allReady(claimed.slice(0, 1)), rest: claimed.slice(1) };
    },
  });
  worker.start();
  await eventually(async () => (await states()).sent === 20);
  await worker.stop();
  const failed = 'sending a batch failed; its unsent emails stay queued';
  assert.deepEqual(lines, [failed, failed, `${failed}: recovered`]);
});

test('emails that the mail server rejects are logged with its status codes, without its text', async (t) => {
  const { smtp, states, worker: create } = await startCampaign(t, 1);
  const lines: string[] = [];
  const line = (fields: object, said?: string) => {
    if (said?.startsWith('the mail server')) lines.push(`${said}: ${'err' in fields && fields.err instanceof Error && fields.err.message}`);
  };
  const response = '550 5.7.1 ada@example.com: the sender is blocked';
  const worker = create({
    logger: { warn: line, info: line, debug: () => undefined },
    smtp: {
      ...smtp,
      deliver: async (_envelope, _raw, handover) => ((await isTaken(handover)) ? { kind: 'refused', hard: false, response } : undefined),
    },
  });
  worker.start();
  await eventually(async () => (await states()).failed === 1);
  await worker.stop();
  assert.deepEqual(lines, ['the mail server rejects emails: The mail server responded with 550 5.7.1.']);
});

test('a row is marked as sending when the mail server waits for its content, and not while it waits for a connection', async (t) => {
  const { smtp, states, worker: create } = await startCampaign(t, 6);
  const stages = {
    connection: Promise.withResolvers<void>(),
    recipient: Promise.withResolvers<void>(),
    response: Promise.withResolvers<void>(),
  };
  const reached = { connection: 0, recipient: 0, content: 0 };
  const worker = create({
    smtp: {
      ...smtp,
      async deliver(_envelope, _raw, { mayStart, beforeContent }) {
        reached.connection += 1;
        await stages.connection.promise;
        if (!(await mayStart())) return undefined;
        reached.recipient += 1;
        if (reached.recipient === 1) return { kind: 'deferred', response: '451 4.7.1 Greylisted' };
        await stages.recipient.promise;
        if ((await beforeContent()) === undefined) return undefined;
        reached.content += 1;
        await stages.response.promise;
        return { kind: 'accepted', response: '250 OK' };
      },
    },
  });
  worker.start();
  await eventually(async () => reached.connection === 6);
  assert.deepEqual([(await states()).queued, (await states()).sending], [6, 0], 'while they wait for a connection');
  stages.connection.resolve();
  await eventually(async () => reached.recipient >= 6);
  const waiting = await eventually(async () => {
    const { queued, deferred, sending } = await states();
    return deferred === 1 && { queued, sending };
  });
  assert.deepEqual(waiting, { queued: 5, sending: 0 }, 'while the mail server decides about the recipient');
  stages.recipient.resolve();
  await eventually(async () => reached.content >= 5);
  assert.ok((await states()).sending >= 5);
  stages.response.resolve();
  await eventually(async () => (await states()).sent === 6);
  await worker.stop();
});

test('an email whose claim has ended while it waited takes no connection, so a slow mail server gets only those that can be sent', async (t) => {
  const { states, smtp, worker: create } = await startCampaign(t, 100);
  let [visits, begun] = [0, 0];
  // One connection, on which 100 emails take twice as long as a claim is kept.
  const worker = create(
    {
      smtp: {
        ...smtp,
        async deliver(_envelope, _raw, handover) {
          begun += 1;
          await new Promise((resolve) => setTimeout(resolve, 20));
          if (!(await isTaken(handover))) return undefined;
          visits += 1;
          return { kind: 'accepted', response: '250 OK' };
        },
      },
    },
    { slots: 1, claimMs: 300 },
  );
  worker.start();
  await eventually(async () => (await states()).sent === 100);
  await worker.stop();
  assert.equal(visits, 100);
  assert.ok(begun < 130, `${begun} connections were taken for 100 emails`);
});
