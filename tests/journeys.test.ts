import { test } from 'node:test';
import { contactReachesSegment } from './journeys/contact-reaches-segment.ts';
import { inboundUrl } from './journeys/inbound-url.ts';
import { mailToErasure } from './journeys/mail-to-erasure.ts';
import { settingsRevisions } from './journeys/settings-revisions.ts';
import { signUp } from './journeys/sign-up.ts';
import { tour } from './journeys/tour.ts';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

/** Run concurrently on one platform, each in a separate account. */
test('journeys through the whole platform', { concurrency: true }, async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url, WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await Promise.all([
    t.test('a contact enters a segment, through the gateway', (t) => contactReachesSegment(t, platform)),
    t.test('a contact enters a segment, gets an email from a workflow, clicks, unsubscribes, and gets no more emails', (t) =>
      mailToErasure(t, platform, sink),
    ),
    t.test('requests to an inbound URL start runs, even many at once for one contact, and are limited and charged', () =>
      inboundUrl(platform),
    ),
    t.test('a visitor signs up, confirms, is welcomed and orders, which the report of the form has', (t) => signUp(t, platform, sink)),
    t.test('settings with a revision return it as ETag, and reject a change of another revision', () => settingsRevisions(platform)),
    t.test('the tour of the API works, line by line', () => tour(platform, 'A first tour')),
    t.test("the tour's keys and tokens work, line by line", () => tour(platform, 'Keys and tokens')),
  ]);
});
