import { money } from '../numbers/format-number.ts';
import type { TimelineEntry } from './timeline.ts';

/** The page that an entry links to, and the ID for its route. */
export type TimelineTarget = { page: 'campaign' | 'workflow' | 'segment' | 'run' | 'visitors'; id: string };

export type TimelineLabel = { what: string; more: string; target?: TimelineTarget };

type Facts = TimelineEntry['facts'];

/** A timeline entry in words. A type that this page does not know is shown by its name. */
export function timelineLabel({ type, facts, contact_id }: Pick<TimelineEntry, 'type' | 'facts' | 'contact_id'>): TimelineLabel {
  const known = writers[type]?.(facts, contact_id);
  return known ?? { what: type.split('.').slice(1).join(' ').replaceAll('_', ' ') || type, more: '' };
}

const text = (facts: Facts, name: string) => (typeof facts[name] === 'string' ? facts[name] : '');

function asObject(value: unknown): Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

type Writer = (facts: Facts, contactId: string) => TimelineLabel;

function event(facts: Facts, contactId: string): TimelineLabel {
  const properties = asObject(facts.properties);
  const value = asObject(facts.value);
  const page = text(properties, 'page.path') || text(properties, 'page.url');
  const worth = typeof value.amount === 'number' && typeof value.currency === 'string' ? money(value.amount, value.currency) : '';
  const name = text(facts, 'event');
  const title = text(properties, 'page.title');
  const what = name === '$pageview' ? `Viewed ${title || page || 'a page'}` : name;
  const isNamed = name === '$pageview' && title === '';
  return { what, more: [worth, isNamed ? '' : page].filter(Boolean).join(', '), target: { page: 'visitors', id: contactId } };
}

const message =
  (did: string, byMachine = did, more?: string): Writer =>
  (facts) => {
    const [campaign, workflow] = [text(facts, 'campaign_id'), text(facts, 'workflow_id')];
    const words = { what: facts.machine === true ? byMachine : did, more: more === undefined ? '' : text(facts, more) };
    if (campaign) return { ...words, target: { page: 'campaign', id: campaign } };
    return workflow ? { ...words, target: { page: 'workflow', id: workflow } } : words;
  };

const membership =
  (did: string): Writer =>
  (facts) => ({
    what: `${did} the segment ${named(text(facts, 'segment_name'))}`,
    more: '',
    target: { page: 'segment', id: text(facts, 'segment_id') },
  });

const run =
  (did: string): Writer =>
  (facts) => ({
    what: `${did} the workflow ${named(text(facts, 'workflow_name'))}`,
    more: [text(facts, 'state'), text(facts, 'reason')].filter(Boolean).join(': '),
    target: { page: 'run', id: text(facts, 'run_id') },
  });

const form =
  (did: string): Writer =>
  (facts) => ({ what: `${did} the form ${named(text(facts, 'form_name'))}`, more: text(facts, 'page') });

const named = (name: string) => `“${name}”`;

const channels: Readonly<Record<string, string>> = { email: 'Email', sms: 'SMS' };
const statuses: Readonly<Record<string, string>> = { subscribed: 'subscribed', pending: 'pending', unsubscribed: 'unsubscribed' };

function consent(facts: Facts): TimelineLabel {
  const status = text(facts, 'status');
  const channel = channels[text(facts, 'channel')] ?? text(facts, 'channel');
  const topic = text(facts, 'topic');
  const before = text(facts, 'before');
  return {
    what: `${channel} consent${topic ? ` for ${named(topic)}` : ''}: ${statuses[status] ?? (status || 'cleared')}`,
    more: before ? `before: ${statuses[before] ?? before}` : '',
  };
}

const writers: Readonly<Record<string, Writer>> = {
  'leadpulse.event.tracked': event,
  'leadpulse.event.attributed': event,
  'leadpulse.event.backfilled': event,
  'campaigns.message.sent': message('Email sent'),
  'campaigns.message.delivered': message('Email delivered'),
  'campaigns.message.opened': message('Opened an email', 'A scanner opened an email'),
  'campaigns.message.converted': message('Converted after an email', 'Converted after an email', 'event'),
  'campaigns.message.clicked': message('Clicked a link in an email', 'A scanner clicked a link in an email', 'url'),
  'campaigns.message.bounced': (facts, contactId) =>
    message(facts.hard === false ? 'Email refused' : 'Email bounced', undefined, 'reason')(facts, contactId),
  'campaigns.message.complained': message('Marked an email as spam'),
  'campaigns.message.unsubscribed': message('Unsubscribed through an email'),
  'campaigns.message.resubscribed': message('Subscribed again through an email'),
  'contacts.consent.changed': consent,
  'contacts.form.submitted': form('Submitted'),
  'contacts.form.confirmed': form('Confirmed'),
  'segments.membership.entered': membership('Entered'),
  'segments.membership.left': membership('Left'),
  'workflows.run.started': run('Entered'),
  'workflows.run.ended': run('Left'),
  'contacts.contact.merged': () => ({ what: 'Another contact was merged into this one', more: '' }),
  'contacts.contact.unmerged': () => ({ what: 'A merge was undone', more: '' }),
};
