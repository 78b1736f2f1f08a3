import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import { VisitorToken } from '@mp/contracts/requests/leadpulse';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, sendCampaign, startSetting, untilStatus } from './setting.ts';

type Known = { _id: string; contact: Contact | null };

test('links in sent emails', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);

  /** Sends this HTML to one contact. Returns the tracked links of the email, in order. */
  async function send(html: string, contact: Parameters<typeof neighbours.contact>[1] = {}) {
    const owner = account(app);
    const email = `${owner.accountId.slice(-8)}@example.com`;
    const sent = neighbours.contact(owner.accountId, { email, ...contact });
    await untilStatus(owner, await sendCampaign(owner, { html }), 'sent');
    const mail = await sink.mailTo(email);
    const links = [...(mail?.html ?? '').matchAll(/href=["'](http:\/\/mail\.test\/t\/c[^"']+)/g)].map(([, link = '']) => link);
    const follow = async (link = '') => {
      const { statusCode, headers } = await app.inject({ method: 'GET', url: new URL(link).pathname });
      return [statusCode, headers.location];
    };
    return { owner, sent, html: mail?.html ?? '', links, follow };
  }

  const untilKnown = (id: string, isSo: (contact: Contact | null | undefined) => boolean) =>
    eventually(async () => isSo((await parts.mongo.db.collection<Known>('contactables').findOne({ _id: id }))?.contact));

  await t.test('keep their target after the contact has changed and after it is deleted', async () => {
    const { owner, sent, links, follow } = await send(
      '<a href="https://example.com/{{ contact.first_name }}">1</a><a href="https://example.com/fixed">2</a>',
      { first_name: 'Ada' },
    );
    const led = [302, 'https://example.com/Ada'];
    assert.deepEqual(await follow(links[0]), led);
    const changed = await neighbours.change(owner.accountId, sent, { first_name: 'Eve' });
    await untilKnown(sent.id, (contact) => contact?.first_name === 'Eve');
    assert.deepEqual(await follow(links[0]), led);
    await neighbours.remove(owner.accountId, changed);
    await untilKnown(sent.id, (contact) => contact === null);
    assert.deepEqual(await follow(links[0]), led);
    assert.deepEqual(await follow(links[1]), [302, 'https://example.com/fixed']);
  });

  await t.test(
    'carry a token to pages of the account that identifies their visitor, and nothing while LeadPulse is unavailable',
    async () => {
      const { sent, links, follow } = await send(
        '<a href="https://shop.example.com/?plan=pro#top">1</a><a href="https://elsewhere.example/">2</a>',
      );
      assert.deepEqual(await follow(links[0]), [302, 'https://shop.example.com/?plan=pro#top']);
      const { broker } = await testParts(t, 'leadpulse');
      broker.start();
      t.after(() => broker.stop());
      await broker.reply(VisitorToken, async ({ contact_id, url }) => ({
        token: url.startsWith('https://shop.example.com/') ? `of-${contact_id}` : null,
      }));
      assert.deepEqual(await follow(links[0]), [302, `https://shop.example.com/?plan=pro&mp_token=of-${sent.id}#top`]);
      assert.deepEqual(await follow(links[1]), [302, 'https://elsewhere.example/']);
    },
  );

  await t.test('get a target on the first click if the ledger has none, and keep it', async () => {
    const html = '{% for tag in contact.tags %}<a href="https://example.com/{{ tag }}/{{ contact.first_name }}">x</a>{% endfor %}';
    const { owner, sent, links, follow } = await send(html, { first_name: 'Ada', tags: ['a', 'b'] });
    const rows = recipientsOf(parts.mongo.db);
    // Like rows from before the ledger stored targets, or rows added by a restored backup's journal.
    await rows.updateMany({ account_id: owner.accountId }, { $unset: { links: '' } });
    assert.deepEqual(await follow(links[1]), [302, 'https://example.com/b/Ada']);
    await neighbours.change(owner.accountId, sent, { first_name: 'Eve' });
    await untilKnown(sent.id, (contact) => contact?.first_name === 'Eve');
    for (const [index, tag] of ['a', 'b'].entries()) assert.deepEqual(await follow(links[index]), [302, `https://example.com/${tag}/Ada`]);
  });

  await t.test('work without the fields of a deleted contact', async () => {
    const { owner, sent, links, follow } = await send('<a href="https://example.com/shop?for={{ contact.first_name }}">1</a>', {
      first_name: 'Ada',
    });
    await neighbours.publishCreated(owner.accountId, sent);
    await neighbours.remove(owner.accountId, sent);
    await untilKnown(sent.id, (contact) => contact === null);
    await recipientsOf(parts.mongo.db).updateMany({ account_id: owner.accountId }, { $unset: { links: '' } });
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await follow(links[0]), [302, 'https://example.com/shop?for=']);
  });

  await t.test('work in any script', async () => {
    const { links, follow } = await send(
      '<a href="https://example.com/日本?q=✓">1</a><a href="https://example.com/{{ contact.first_name }}?x=1&amp;y=🎉">2</a>',
      { first_name: 'Ørsted 日本' },
    );
    assert.deepEqual(await follow(links[0]), [302, 'https://example.com/%E6%97%A5%E6%9C%AC?q=%E2%9C%93']);
    assert.deepEqual(await follow(links[1]), [302, 'https://example.com/%C3%98rsted%20%E6%97%A5%E6%9C%AC?x=1&y=%F0%9F%8E%89']);
  });

  await t.test('have the right target in loops and with variables, filters and quotes', async () => {
    const { links, html, follow } = await send(
      '{% assign code = contact.first_name | upcase %}' +
        '{% for tag in contact.tags %}<a href="https://example.com/t/{{ tag }}">{{ tag }}</a>{% endfor %}' +
        `<a href="https://example.com/{{ contact.last_name | default: "none" }}?c={{ code }}">x</a><a href='https://example.com/s'>s</a>`,
      { first_name: 'ada', last_name: null, tags: ['a', 'b'] },
    );
    const led = [];
    for (const link of links) led.push((await follow(link))[1]);
    assert.deepEqual(led, [
      'https://example.com/t/a',
      'https://example.com/t/b',
      'https://example.com/none?c=ADA',
      'https://example.com/s',
    ]);
    assert.ok(!html.includes('example.com'), html);
  });

  await t.test('stay unchanged if they cannot be tracked', async () => {
    const long = 'x'.repeat(1_000);
    const { links, html } = await send(
      `<a href="https://example.com/{% for i in (1..3) %}{{ contact.attributes.long }}{% endfor %}">1</a><a href="mailto:a@b.co">2</a><a href="{{ contact.attributes.site }}">3</a>`,
      { attributes: { long, site: 'https://other.example/' } },
    );
    assert.equal(links.length, 0);
    assert.ok(html.includes(`href="https://example.com/${long.repeat(3)}"`) && html.includes('href="https://other.example/"'));
  });

  await t.test('prevent sending if they would run code', async () => {
    const owner = account(app);
    neighbours.contact(owner.accountId, { email: 'code@example.com', attributes: { site: 'java\tscript:alert(1)' } });
    neighbours.contact(owner.accountId, { email: 'fine@example.com', attributes: { site: 'https://other.example/' } });
    const id = await sendCampaign(owner, { html: '<a href="{{ contact.attributes.site }}">x</a>' });
    await untilStatus(owner, id, 'sent');
    assert.deepEqual([sink.to('code@example.com').length, sink.to('fine@example.com').length], [0, 1]);
    const [row] = (await owner.get(`/v2/campaigns/${id}/ledger?state=skipped`)).data.items;
    assert.deepEqual([row.reason, /javascript:/.test(row.detail)], ['template_error', true]);
  });
});
