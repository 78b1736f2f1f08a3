import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { startNeighbours } from '../../../test/neighbours.ts';
import { account, folder, quickTimings, routesOnly, sendCampaign, untilStatus } from '../../../test/setting.ts';

test('without SMTP_URL, email stays in the local mailbox and is displayed safely', async (t) => {
  const neighbours = await startNeighbours(t);
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly({ SMTP_URL: undefined, MAILBOX_DIR: folder(t), timings: quickTimings }), {
    live: true,
  });
  const owner = account(app);
  neighbours.contact(owner.accountId, { email: 'ada@example.com', first_name: '<script>alert(1)</script>' });
  const id = await sendCampaign(owner, { html: '<p>Hi</p><script>alert(2)</script><a href="https://example.com/">x</a>' });
  await untilStatus(owner, id, 'sent');

  const list = await eventually(async () => {
    const page = await app.inject({ method: 'GET', url: '/t/mailbox' });
    return page.payload.includes('ada@example.com') && page;
  });
  assert.ok(!list.payload.includes('<script>'));
  assert.match(list.payload, /Hi &lt;script&gt;/);
  const [, url = ''] = /href="(\/t\/mailbox\/[^"]+)"/.exec(list.payload) ?? [];
  const mail = await app.inject({ method: 'GET', url });
  assert.equal(mail.statusCode, 200);
  assert.match(mail.payload, /<iframe title="Email" sandbox="allow-popups allow-popups-to-escape-sandbox"/);
  assert.ok(!mail.payload.includes('<script>'));
  assert.match(String(mail.headers['content-security-policy']), /default-src 'none'; style-src 'sha256-[^']+'; frame-src 'self';/);
  const html = await app.inject({ method: 'GET', url: `${url}/html` });
  assert.match(html.payload, /<a href="http:\/\/mail\.test\/t\/c/);
  assert.match(String(html.headers['content-security-policy']), /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/);
  for (const wrong of ['/t/mailbox/%2e%2e%2findex', '/t/mailbox/index.ndjson', '/t/mailbox/00000000-0000-4000-8000-000000000000']) {
    assert.equal((await app.inject({ method: 'GET', url: wrong })).statusCode, 404);
  }
  const { app: real } = await testService(t, parts, routesOnly());
  assert.equal(
    (await real.inject({ method: 'GET', url: '/t/mailbox' })).statusCode,
    404,
    'there is no mailbox if a mail server is configured',
  );
});
