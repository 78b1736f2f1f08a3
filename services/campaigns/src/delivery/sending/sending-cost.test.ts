import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countCommands } from '@mp/test-kit/count-commands';
import { eventually } from '@mp/test-kit/eventually';
import { isTaken, startCampaign } from '../../../test/started-campaign.ts';

const emails = 500;

/** Measured: 123 commands, 12 commits and 1,513 documents. */
const ceiling = { commands: 180, commits: 30, documents: 1_700 };

test('500 emails over 20 connections take less than 180 commands, 30 commits and 1,700 written documents', async (t) => {
  const { mongo, campaigns, queue, smtp, states, worker: create } = await startCampaign(t, emails);
  const lanes = await campaigns.sending(null, 1);
  const none = async () => ({ accountIds: [], last: null });
  let delivered = 0;
  const worker = create({
    // Looking for work costs by the second, not by the email.
    campaigns: { ...campaigns, sending: async () => lanes },
    queue: { ...queue, accountsWithMessages: none, accountsWithWorkflowMessages: none },
    smtp: {
      ...smtp,
      async deliver(_envelope, _raw, handover) {
        delivered += 1;
        // The connections do not keep step with each other.
        await sleep(2 + ((delivered * 7) % 6));
        return (await isTaken(handover)) ? { kind: 'accepted', response: '250 OK' } : undefined;
      },
    },
  });
  const { commands, commits, documents } = await countCommands(mongo, async () => {
    worker.start();
    await eventually(async () => delivered === emails);
    await worker.stop();
  });
  assert.equal((await states()).sent, emails);
  t.diagnostic(`${commands} commands, ${commits} commits and ${documents} documents`);
  assert.ok(commands < ceiling.commands, `${commands} commands`);
  assert.ok(commits < ceiling.commits, `${commits} commits`);
  assert.ok(documents < ceiling.documents, `${documents} documents`);
});
