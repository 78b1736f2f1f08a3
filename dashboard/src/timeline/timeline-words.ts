import { money } from '../figures/figures.ts';
import type { TimelineEntry } from './timeline.ts';

/** Where an entry leads: a page of the dashboard, by the ids that its facts name. */
export type TimelineTarget = { page: 'campaign' | 'workflow' | 'segment' | 'run' | 'visitors'; id: string };

export type TimelineWords = { what: string; more: string; target?: TimelineTarget };

type Facts = TimelineEntry['facts'];

/** What happened, in words. What is newer than this page is shown by its type. */
export function timelineWords({ type, facts, contact_id }: Pick<TimelineEntry, 'type' | 'facts' | 'contact_id'>): TimelineWords {
  const told = writers[type]?.(facts, contact_id);
  return told ?? { what: type.split('.').slice(1).join(' ').replaceAll('_', ' ') || type, more: '' };
}

const text = (facts: Facts, name: string) => (typeof facts[name] === 'string' ? facts[name] : '');

function members(value: unknown): Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

type Writer = (facts: Facts, contactId: string) => TimelineWords;

function event(facts: Facts, contactId: string): TimelineWords {
  const properties = members(facts.properties);
  const value = members(facts.value);
  const page = text(properties, 'page.path') || text(properties, 'page.url');
  const worth = typeof value.amount === 'number' && typeof value.currency === 'string' ? money(value.amount, value.currency) : '';
  const name = text(facts, 'event');
  const what = name === '$pageview' ? `Viewed ${text(properties, 'page.title') || page || 'a page'}` : name;
  return { what, more: [worth, page].filter(Boolean).join(', '), target: { page: 'visitors', id: contactId } };
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

const named = (name: string) => `“${name}”`;

const channels: Readonly<Record<string, string>> = { email: 'e-mail', sms: 'SMS' };
const statuses: Readonly<Record<string, string>> = { subscribed: 'subscribed', pending: 'asked', unsubscribed: 'unsubscribed' };

function consent(facts: Facts): TimelineWords {
  const status = text(facts, 'status');
  const channel = channels[text(facts, 'channel')] ?? text(facts, 'channel');
  const topic = text(facts, 'topic');
  const before = text(facts, 'before');
  return {
    what: `Consent to ${channel}${topic ? ` about ${named(topic)}` : ''}: ${statuses[status] ?? (status || 'forgotten')}`,
    more: before ? `before: ${statuses[before] ?? before}` : '',
  };
}

const writers: Readonly<Record<string, Writer>> = {
  'leadpulse.event.tracked': event,
  'leadpulse.event.attributed': event,
  'campaigns.message.sent': message('Was sent a mail'),
  'campaigns.message.delivered': message('Got a mail'),
  'campaigns.message.opened': message('Opened a mail', 'A scanner opened a mail'),
  'campaigns.message.clicked': message('Followed a link in a mail', 'A scanner followed a link in a mail', 'url'),
  'campaigns.message.bounced': message('A mail came back', 'A mail came back', 'reason'),
  'campaigns.message.complained': message('Complained about a mail'),
  'campaigns.message.unsubscribed': message('Unsubscribed by a mail'),
  'contacts.consent.changed': consent,
  'segments.membership.entered': membership('Entered'),
  'segments.membership.left': membership('Left'),
  'workflows.run.started': run('Began'),
  'workflows.run.ended': run('Ended'),
  'contacts.contact.merged': () => ({ what: 'Another contact was merged into this one', more: '' }),
  'contacts.contact.unmerged': () => ({ what: 'A merge was undone', more: '' }),
};
