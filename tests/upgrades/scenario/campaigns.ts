import type { MailSink } from '../mail.ts';
import { eventually, from, ok, type World } from './world.ts';

export const html = '<p>Hello {{ contact.first_name }}, <a href="https://shop.example/offer">the offer</a></p>';
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

/** A template with versions, and campaigns that are sent, paused, scheduled, in an A/B test, and drafts. */
export async function prepareCampaigns({ client, manifest }: World, sink: MailSink) {
  const audience = { include: [manifest.segments.receivers] };
  const create = (name: string, more: object = {}) =>
    ok(client.post('/v2/campaigns', { name, subject: name, from, html, audience, ...more }));
  const send = (id: string, body: object = {}) => ok(client.post(`/v2/campaigns/${id}/send`, body));
  const get = (id: string) => ok(client.get(`/v2/campaigns/${id}`));

  const template = await ok(
    client.post('/v2/campaigns/templates', { name: 'Receipt', subject: 'Order {{ data.order }}', html: '<p>Thank you</p>' }),
  );
  await ok(client.put(`/v2/campaigns/templates/${template.id}`, { html: '<p>Thank you, {{ contact.first_name }}</p>' }));
  const draft = await ok(client.post('/v2/campaigns', { name: 'Draft', subject: 'Draft', from, audience, template_id: template.id }));

  const sent = await create('Sent');
  await send(sent.id);
  await eventually(async () => (await get(sent.id)).status === 'sent');
  const readers = sink.caught.filter(({ mail }) => mail.subject === 'Sent').slice(0, 8);
  const counted = async () => (await ok(client.get(`/v2/campaigns/${sent.id}/analytics`))).counts.clicked.unique.human;
  // Repeated until each click is late enough after the email to count as human.
  await eventually(async () => {
    for (const { mail } of readers) {
      const link = /href="([^"]*\/t\/[^"]+)"/.exec(mail.html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
      await fetch(link, { redirect: 'manual', headers: browser });
    }
    return (await counted()) === readers.length;
  });

  const variants = [
    { id: 'a', weight: 50, subject: 'Test A' },
    { id: 'b', weight: 50, subject: 'Test B' },
  ];
  const tested = await create('Test', { ab_test: { variants, sample_percent: 50, metric: 'opens', selection: 'manual' } });
  await send(tested.id);
  await eventually(async () => typeof (await get(tested.id)).ab_result?.sample_sent_at === 'string');

  const later = await create('Scheduled for a later day');
  await send(later.id, { schedule_at: new Date(Date.now() + 3 * 24 * 60 * 60_000).toISOString() });

  sink.slow(true);
  const paused = await create('Paused');
  await send(paused.id);
  await eventually(async () => sink.caught.some(({ mail }) => mail.subject === 'Paused'));
  await ok(client.post(`/v2/campaigns/${paused.id}/pause`));
  const cancelled = await create('Cancelled');
  await send(cancelled.id);
  await eventually(async () => sink.caught.some(({ mail }) => mail.subject === 'Cancelled'));
  await ok(client.post(`/v2/campaigns/${cancelled.id}/cancel`));
  sink.slow(false);

  const receipt = await ok(
    client.post('/v2/campaigns/messages', {
      from,
      to: { contact_id: manifest.contacts.ids[1] },
      template_id: template.id,
      data: { order: 'A-1' },
    }),
  );
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEklEQVR4AWI6w8DwH4aZGJAAAAAA//8oLckKAAAABklEQVQDAGhmBWbdDDM4AAAAAElFTkSuQmCC';
  const image = await ok(client.post('/v2/campaigns/images', { name: 'hero.png', content: png }));
  const provider = await ok(
    client.post('/v2/campaigns/providers', { name: 'Amazon SES', kind: 'ses', topic_arn: 'arn:aws:sns:eu-west-1:123456789012:feedback' }),
  );
  const sender = await ok(client.post('/v2/campaigns/senders', { domain: 'sender.example' }));
  manifest.campaigns = {
    ...{ sent: sent.id, tested: tested.id, later: later.id, paused: paused.id, cancelled: cancelled.id, draft: draft.id },
    ...{ template: template.id, receipt: receipt.id, image: image.id, provider: provider.id, sender: sender.id },
    clicked: readers.map(({ to }) => to),
  };
}
