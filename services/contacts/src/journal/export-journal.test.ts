import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { JournalEntry } from '@mp/contracts/journal';
import { createExportJournal, journalEntryOf } from './export-journal.ts';

const examples = new URL('../../../../libs/contracts/src/events/examples/', import.meta.url);

test('every event that removes, restricts or sends something makes a journal entry, and none contains an address', async () => {
  const kinds = new Map<string, string>();
  for (const file of await readdir(examples)) {
    const entry = journalEntryOf(await readFile(new URL(file, examples), 'utf8'));
    if (!entry) continue;
    kinds.set(file.replace('.v1.json', ''), entry.kind);
    assert.deepEqual(JournalEntry.parse(entry), entry);
    assert.doesNotMatch(JSON.stringify(entry), /@/, file);
  }
  assert.deepEqual(Object.fromEntries(kinds), {
    'campaigns.message.bounced': 'message',
    'campaigns.message.sent': 'message',
    'campaigns.message.unsubscribed': 'consent',
    'contacts.consent.changed': 'consent',
    'contacts.contact.erased': 'erasure',
    'contacts.suppression.added': 'suppression',
    'contacts.suppression.removed': 'suppression',
    'platform.account.changed': 'account',
    'platform.account.erased': 'account_erasure',
    'platform.credential.changed': 'credential',
    'platform.credential.revoked': 'credential',
    'workflows.effect.delivered': 'effect',
    'workflows.webhook.delivered': 'delivery',
  });
});

test('an export warns about streams that do not go back far enough and about events it could not read', async () => {
  const since = new Date('2026-05-01T00:00:00.000Z');
  const kept: Record<string, Date | undefined> = {
    PLATFORM: new Date('2026-04-30T00:00:00.000Z'),
    CONTACTS: new Date('2026-05-02T00:00:00.000Z'),
  };
  const said: string[] = [];
  const entries: JournalEntry[] = [];
  const broker = {
    readSince: async ({ name }: { name: string }, _: Date, read: (payload: string) => Promise<void>) => {
      if (name === 'PLATFORM') await read('not JSON');
      return kept[name];
    },
  };
  await createExportJournal(broker, (text) => said.push(text))(since, async (entry) => void entries.push(entry));
  assert.deepEqual(entries, []);
  assert.match(said.join('\n'), /An event of PLATFORM cannot be read.*not JSON/);
  assert.match(said.join('\n'), /CONTACTS has no events from before 2026-05-02/);
  assert.match(said.join('\n'), /CAMPAIGNS has no events/);
  assert.equal(said.length, 4);
});
