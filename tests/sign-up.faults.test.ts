import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceName } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { confirmation, linkIn, welcome, welcoming } from './journeys/sign-up.ts';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

test('a sign-up, its confirmation and the welcome email happen once, whichever service is killed before, between or after them', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });
  const client = await platform.client('--permission', 'read_write', '--account', 'sign-up');
  const { form } = await welcoming(client);
  const mails = (email: string, subject: RegExp) => sink.to(email).filter((mail) => subject.test(mail.subject ?? ''));

  /** As a browser whose user tries again. */
  const insist = (url: string | URL, init: RequestInit) =>
    eventually(async () => (await fetch(url, { method: 'POST', ...init }).catch(() => undefined))?.status === 200);
  const submit = (email: string) =>
    insist(`${form.url}/submissions`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fields: { email }, consents: ['news'], submission_id: email.replaceAll(/\W/g, '-') }),
    });
  const without = async (service: ServiceName, work: () => Promise<unknown>) => {
    await platform.stop(service, 'SIGKILL');
    // Only these two are needed to take it; the others learn of it once they are back.
    const working = ['gateway', 'contacts'].includes(service) ? undefined : await work();
    await platform.start(service);
    if (working === undefined) await work();
  };

  for (const service of ['contacts', 'campaigns', 'workflows', 'segments', 'leadpulse', 'gateway'] as const)
    await t.test(`${service} is killed`, async () => {
      const email = `${service}@example.com`;
      const submitted = submit(email);
      if (service === 'contacts' || service === 'gateway') {
        // While the request is on its way.
        await platform.stop(service, 'SIGKILL');
        await platform.start(service);
      }
      await submitted;
      await without(service, async () => true);
      const [mail] = await eventually(async () => {
        const found = mails(email, confirmation);
        return found.length > 0 && found;
      });
      const link = linkIn(mail?.html);
      await without(service, () => insist(link, {}));
      await eventually(async () => mails(email, welcome).length > 0);
      await insist(link, {});
    });

  const later = 'after@example.com';
  await submit(later);
  const [last] = await eventually(async () => {
    const found = mails(later, confirmation);
    return found.length > 0 && found;
  });
  await insist(linkIn(last?.html), {});
  // What was doubled would come before the welcome of somebody who came later.
  await eventually(async () => mails(later, welcome).length > 0);
  const emails = [...new Set(sink.caught.map(({ to }) => to))];
  assert.equal(emails.length, 7);
  for (const email of emails) assert.deepEqual([mails(email, confirmation).length, mails(email, welcome).length], [1, 1], email);
  await eventually(async () => {
    const { counts } = (await client.get(`/v2/contacts/forms/${form.id}/report`)).data;
    return counts.submissions === 7 && counts.confirmations === 7 && counts.new_contacts === 7;
  });
});
