import { test } from 'node:test';
import { expectTypeOf } from 'expect-type';
import type { Campaign, Contact, List, MarketingPlatform, Page, SegmentMember } from './sdk.ts';

// Checked by `npm run types`; nothing runs.
const check = async (mp: MarketingPlatform) => {
  expectTypeOf(await mp.contacts.create({ email: 'ada@example.com' })).toEqualTypeOf<Contact>();
  expectTypeOf(await mp.contacts.list()).toExtend<Page<Contact>>();
  expectTypeOf(mp.contacts.list({ tag: 'vip' })).toExtend<List<Contact, Page<Contact>>>();
  for await (const contact of mp.contacts.list()) expectTypeOf(contact).toEqualTypeOf<Contact>();
  for await (const member of mp.segments.contacts('segment_1')) expectTypeOf(member).toEqualTypeOf<SegmentMember>();
  expectTypeOf(await mp.campaigns.send('campaign_1')).toExtend<Campaign>();
  expectTypeOf(await mp.contacts.exports.download('export_1')).toEqualTypeOf<Response>();
  expectTypeOf(mp.contacts.get).parameter(0).toBeString();

  mp.contacts.list({ 'created_at[gte]': new Date(), 'created_at[lt]': '2026-01-01T00:00:00Z' });
  mp.leadpulse.visitors.list({ 'last_seen_at[gt]': new Date() });
  await mp.webhooks.create({ url: 'https://example.com', events: ['contact.created', 'campaign.*', '*'] });
  mp.webhooks.listen({ events: ['contact.*'] });
  // Former names compile until they are removed.
  await mp.webhooks.replayDeliveries('webhook_1', { from: '2026-01-01T00:00:00Z' });
  await mp.webhooks.replayDeliveries('webhook_1', { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' });
  await mp.workflows.settings.update({ quiet_hours: { start: '22:00', end: '07:00' } });
  await mp.workflows.settings.update({ quiet_hours: { from: '22:00', to: '07:00' } });
  mp.campaigns.messages.list({ state: 'sent' });
  mp.leadpulse.events.list({ 'time[gte]': new Date() });
  // @ts-expect-error neither name of a required field
  await mp.webhooks.replayDeliveries('webhook_1', {});
  // @ts-expect-error neither name of the end
  await mp.workflows.settings.update({ quiet_hours: { start: '22:00' } });

  // @ts-expect-error an event that does not exist
  await mp.webhooks.create({ url: 'https://example.com', events: ['contact.made'] });
  // @ts-expect-error a number is not a time
  mp.contacts.list({ 'created_at[gte]': 1_700_000_000 });
  // @ts-expect-error an unknown field of the body
  await mp.contacts.create({ firstName: 'Ada' });
  // @ts-expect-error an unknown filter
  mp.contacts.list({ tags: 'vip' });
  // @ts-expect-error a required field is missing
  await mp.workflows.create({ name: 'Welcome' });
  // @ts-expect-error the ID is required
  await mp.contacts.get();
  // @ts-expect-error an event without a name
  mp.track({ visitor_id: 'v' });
};

test('the types of methods, lists and events are those of the API', () => void check);
