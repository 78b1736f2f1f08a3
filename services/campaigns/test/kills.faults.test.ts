import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageSent } from '@mp/contracts/events/campaigns';
import type { ContactId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { chances, killableServices } from './killable-services.ts';
import { startNeighbours } from './neighbours.ts';
import { reconciliation, routesOnly, sendCampaign, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

const seed = Number(process.env.SEED ?? 20_261_121);
const kills = Number(process.env.KILLS ?? 30);
const people = 600;

type Row = { contact_id: ContactId; state: string };

test(`workers killed ${kills} times with -9 (SEED=${seed}): nothing is lost or sent twice, and uncertain emails are unknown`, async (t) => {
  const neighbours = await startNeighbours(t);
  const chance = chances(seed);
  const sink = await startSmtpSink(t, {
    behave: (address) => {
      const behaviour = Number(/\d+/.exec(address)?.[0]) % 20;
      if (behaviour === 7) return { slowMs: 60 };
      if (behaviour === 13) return { drop: 'in_data', kept: chance() < 0.5 };
      return { slowMs: 4 };
    },
  });
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const events = await listenToEvents(t);
  const contacts = new Map(neighbours.contacts(owner.accountId, people).map((contact) => [contact.id, contact]));
  const { start, kill } = await killableServices(t, parts, sink.url);

  const campaigns: string[] = [];
  for (let done = 0; done < kills; done += 1) {
    // A new campaign every few kills, so that kills hit the freeze as well as sending.
    if (done % 5 === 0) campaigns.push(await sendCampaign(owner));
    const child = await start();
    // During the freeze, or after a number of emails.
    const [began, mailed] = [Date.now(), sink.received.length];
    const [after, atMost] = [chance() * 90, chance() * 2_000];
    while (sink.received.length < mailed + after && Date.now() < began + atMost) await sleep(2);
    const current = campaigns.at(-1) ?? '';
    const choice = chance();
    if (choice < 0.2) await owner.post(`/v2/campaigns/${current}/pause`);
    await kill(child);
    assert.equal((await reconciliation(owner, current)).reconciles, true, 'the sum holds at any time');
    if (choice < 0.2) await owner.post(`/v2/campaigns/${current}/resume`);
  }

  const last = await start();
  for (const id of campaigns) {
    await untilStatus(owner, id, 'sent', 300_000);
    await eventually(async () => (await reconciliation(owner, id)).states.sending === 0);
  }

  let [sent, unknown] = [0, 0];
  for (const id of campaigns) {
    const { states, reconciles, audience_count } = await reconciliation(owner, id);
    assert.deepEqual([reconciles, audience_count, states.sent + states.unknown], [true, people, people]);
    const rows: Row[] = [];
    for (let cursor = ''; ; ) {
      const { items, pagination } = (await owner.get(`/v2/campaigns/${id}/ledger?limit=100${cursor && `&cursor=${cursor}`}`)).data;
      rows.push(...items);
      if (pagination.next_cursor === null) break;
      cursor = pagination.next_cursor;
    }
    const copies = new Map<string, number>();
    for (const { to, raw } of sink.received) {
      if (raw.includes(`${id}:`)) copies.set(to, (copies.get(to) ?? 0) + 1);
    }
    assert.deepEqual(new Set(rows.map(({ contact_id }) => contact_id)), new Set(contacts.keys()));
    for (const { contact_id, state } of rows) {
      const received = copies.get(contacts.get(contact_id)?.email ?? '') ?? 0;
      if (state === 'sent') assert.equal(received, 1, `${contact_id} is sent and was received ${received} times`);
      else assert.ok(state === 'unknown' && received <= 1, `${contact_id} is ${state} and was received ${received} times`);
    }
    sent += states.sent;
    unknown += states.unknown;
  }
  const dropped = campaigns.length * Math.ceil(people / 20);
  // One per connection, and twice as many whose response was received but not written yet.
  assert.ok(unknown <= dropped + kills * 15, `${unknown} unknown`);
  await eventually(async () => events.count(MessageSent) >= sent);
  t.diagnostic(
    `${campaigns.length} campaigns, ${sent} sent, ${unknown} unknown (${dropped} of them by dropped connections), ${kills} kills`,
  );
  await kill(last);
});
