import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suppressionHash } from '@mp/contracts/contact';
import type { JournalEntry, JournalOf } from '@mp/contracts/journal';
import { type ContactId, newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

/** A day, because a busy machine may need minutes until the test that uses them. */
const dayMs = 24 * 3_600_000;
const [earlier, later] = [new Date(Date.now() - dayMs).toISOString(), new Date(Date.now() + dayMs).toISOString()];

test('applying the journal to a restored backup', async (t) => {
  const parts = await testParts(t, 'contacts');
  const service = await testService(t, parts, buildApp);
  const account = testClient(service.app);
  const { accountId: account_id } = account;
  const create = async (email: string) => (await account.post('/v2/contacts', { email })).data;
  const read = async (id: string) => (await account.get(`/v2/contacts/${id}`)).data;
  const hashOf = (email: string) => suppressionHash(account_id, 'email', email);
  const apply = async (...entries: JournalEntry[]) =>
    service.applyJournal?.(
      (async function* () {
        yield* entries;
      })(),
    );
  const consent = (contact_id: ContactId, change: Partial<JournalOf<'consent'>> = {}): JournalOf<'consent'> => ({
    ...{ kind: 'consent', account_id, at: later, contact_id, channel: 'email', topic: null, status: 'unsubscribed' },
    ...{ method: 'link', given_at: new Date().toISOString(), ...change },
  });
  const suppression = (email: string, change: Partial<JournalOf<'suppression'>> = {}): JournalOf<'suppression'> => ({
    ...{ kind: 'suppression', account_id, at: later, of: 'email', domain: null, hash: hashOf(email) },
    ...{ reason: 'complaint', lifted: false, ...change },
  });

  await t.test('withdraws consent, including for one topic or channel, with its date and method', async () => {
    const { id } = await create('a@consent.example');
    const entry = consent(id);
    await apply(entry, consent(id, { channel: 'sms', topic: 'news' }));
    const { data } = await account.get(`/v2/contacts/${id}/consent`);
    assert.deepEqual(data.email, { status: 'unsubscribed', method: 'link', at: entry.given_at });
    assert.equal(data.topics.news.sms.status, 'unsubscribed');
  });

  await t.test('never grants consent: the last entry counts, and a granting one is not written', async () => {
    const { id } = await create('b@consent.example');
    const granted = consent(id, { at: later, status: 'subscribed' });
    assert.equal((await apply(consent(id, { at: earlier }), granted))?.consents, 0);
    assert.equal((await read(id)).status, 'active');
    await account.put(`/v2/contacts/${id}/consent`, { email: { status: 'unsubscribed' } });
    assert.equal((await apply(granted, consent(id, { status: null })))?.consents, 0);
    assert.equal((await read(id)).status, 'unsubscribed');
  });

  await t.test('keeps consent given after the entry', async () => {
    const { id } = await create('c@consent.example');
    await account.put(`/v2/contacts/${id}/consent`, { email: { status: 'subscribed' } });
    assert.equal((await apply(consent(id, { at: earlier, given_at: earlier })))?.consents, 0);
    assert.equal((await read(id)).status, 'active');
  });

  await t.test('keeps a withdrawal for the address of a lost contact, unless it was created again since', async () => {
    assert.equal((await apply(consent(newId('contact'), { address_hash: hashOf('lost@consent.example') })))?.consents, 1);
    assert.equal((await create('lost@consent.example')).status, 'suppressed');
    const moved = await create('moved@consent.example');
    await apply(consent(newId('contact'), { address_hash: hashOf('moved@consent.example') }));
    assert.equal((await read(moved.id)).status, 'unsubscribed');
    const fresh = await create('fresh@consent.example');
    await apply(consent(newId('contact'), { address_hash: hashOf('fresh@consent.example'), at: earlier }));
    assert.equal((await read(fresh.id)).status, 'active');
  });

  await t.test('suppresses by hash only, and updates the status of a contact that has the address', async () => {
    const { id } = await create('d@consent.example');
    const domain = suppressionHash(account_id, 'domain', 'blocked.example');
    const entries = [
      suppression('d@consent.example'),
      suppression('nobody@consent.example'),
      suppression('', { of: 'domain', domain: 'blocked.example', hash: domain }),
      suppression('lifted@consent.example', { at: earlier }),
      suppression('lifted@consent.example', { lifted: true }),
    ];
    assert.equal((await apply(...entries))?.suppressed, 3);
    assert.equal((await apply(...entries))?.suppressed, 0);
    assert.equal((await read(id)).status, 'complained');
    assert.equal((await create('nobody@consent.example')).status, 'complained');
    assert.equal((await create('any@blocked.example')).status, 'complained');
    assert.equal((await create('lifted@consent.example')).status, 'active');
  });

  await t.test('erases under the original erasure id, including contacts merged only after the backup', async () => {
    const [one, two] = [await create('one@erased.example'), await create('two@erased.example')];
    const entry: JournalEntry = { kind: 'erasure', account_id, at: later, erasure_id: newId('erasure'), contact_ids: [one.id, two.id] };
    assert.equal((await apply(entry, consent(one.id, { address_hash: hashOf('one@erased.example') })))?.erased, 2);
    for (const { id } of [one, two]) assert.equal((await account.get(`/v2/contacts/${id}`)).status, 404);
    assert.equal((await account.get(`/v2/contacts/erasures/${entry.erasure_id}`)).data.contact_id, one.id);
    assert.deepEqual(await apply(entry), { erased: 0, consents: 0, suppressed: 0 });
  });
});
