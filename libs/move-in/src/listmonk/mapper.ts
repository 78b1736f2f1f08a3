import { attributeKey, attributesOf, line, pastTime } from '../clean-fields.ts';
import type { Consent, MovedRecord, Note } from '../records.ts';
import { attributeField, output, type Translated, translateTags } from '../translate-tags.ts';
import type { Bounce, Subscriber, Template } from './types.ts';

export const listOf = ({ id, name }: { id: number; name: string }): MovedRecord => ({ kind: 'list', id: String(id), name });

type Subscription = NonNullable<Subscriber['lists']>[number];

const statuses: Readonly<Record<string, Consent['status']>> = {
  confirmed: 'subscribed',
  unconfirmed: 'pending',
  unsubscribed: 'unsubscribed',
};

/** A list with single opt-in leaves its subscribers unconfirmed and emails them, so they are subscribed there. */
function statusIn({ subscription_status, optin }: Subscription): Consent['status'] | undefined {
  const given = subscription_status ?? '';
  const status = Object.hasOwn(statuses, given) ? statuses[given] : undefined;
  return status === 'pending' && optin !== 'double' ? 'subscribed' : status;
}

/** The strongest subscription counts: a person who left one list of several is still subscribed. */
const strength: readonly Consent['status'][] = ['pending', 'unsubscribed', 'subscribed'];

function consentOf(subscriptions: readonly Subscription[], notes: Note[]): Consent | null {
  const known = subscriptions.flatMap((subscription) => {
    const status = statusIn(subscription);
    if (status === undefined)
      notes.push({
        about: `subscription ${String(subscription.subscription_status).slice(0, 40)}`,
        why: 'is not known and is not consent',
      });
    return status === undefined ? [] : [{ ...subscription, status }];
  });
  const [best] = known.sort((a, b) => strength.indexOf(b.status) - strength.indexOf(a.status));
  if (!best) return null;
  const { status, name, optin, subscription_created_at, subscription_updated_at } = best;
  const at = pastTime(
    status === 'pending' ? subscription_created_at : (subscription_updated_at ?? subscription_created_at),
    'date of the consent',
    notes,
  );
  const submitted_at = pastTime(subscription_created_at, 'subscription_created_at', []);
  const source = line(`listmonk: ${name ?? ''}`, 500, 'source', notes) ?? 'listmonk';
  const confirmed = status === 'subscribed' && optin === 'double';
  return {
    ...{ status, ...(confirmed && { method: 'double_opt_in' as const }), ...(at && { at }) },
    evidence: { source, ...(submitted_at && { submitted_at }) },
  };
}

/** `Ada Augusta` and `Lovelace`, as listmonk itself splits a name. */
function namesOf(name: string | undefined) {
  const words = name?.split(' ') ?? [];
  const last = words.length > 1 ? words.pop() : undefined;
  return { ...(words.length > 0 && { first_name: words.join(' ') }), ...(last && { last_name: last }) };
}

/** A subscriber: a contact; one that is blocklisted is also suppressed. */
export function subscriberRecords(subscriber: Subscriber): MovedRecord[] {
  const notes: Note[] = [];
  const { id, attribs, status, created_at, updated_at } = subscriber;
  const email = subscriber.email ?? '';
  const subscriptions = subscriber.lists ?? [];
  const blocked = status === 'blocklisted';
  if (!blocked && status !== 'enabled')
    notes.push({ about: `status ${String(status).slice(0, 40)}`, why: 'has no equal; these contacts come without consent' });
  const attributes = attributesOf({ ...attribs, listmonk_created_at: pastTime(created_at, 'created_at', notes) }, notes);
  const emailed = subscriptions.filter((subscription) => statusIn(subscription) !== 'unsubscribed');
  const contact: MovedRecord = {
    ...{ kind: 'contact', id: String(id), email, notes },
    fields: { ...namesOf(line(subscriber.name, 200, 'name', notes)), ...(attributes && { attributes }) },
    consent: blocked || status === 'enabled' ? consentOf(subscriptions, notes) : null,
    lists: blocked ? [] : emailed.map((list) => String(list.id)),
    left: subscriptions.filter((list) => !emailed.includes(list)).map((list) => String(list.id)),
  };
  if (!blocked) return [contact];
  const suppressed_at = pastTime(updated_at, 'updated_at', notes);
  return [
    contact,
    { kind: 'suppression', email, reason: 'manual', note: 'listmonk: blocklisted', ...(suppressed_at && { suppressed_at }) },
  ];
}

/** Soft bounces pass. */
export function bounceRecords({ email, type, created_at }: Bounce): MovedRecord[] {
  if (type !== 'hard' && type !== 'complaint') return [];
  const suppressed_at = pastTime(created_at, 'created_at', []);
  const reason = type === 'hard' ? ('hard_bounce' as const) : ('complaint' as const);
  return [{ kind: 'suppression', email: email ?? '', reason, note: `listmonk: ${type} bounce`, ...(suppressed_at && { suppressed_at }) }];
}

const tags = { tag: /\{\{[^{}]{1,300}\}\}|@TrackLink\b/g, like: /\{\{.{0,58}/g };

const oneEach: Readonly<Record<string, string>> = {
  '.Subscriber.FirstName': '{{ contact.first_name }}',
  '.Subscriber.LastName': '{{ contact.last_name }}',
  '.Subscriber.Name': '{{ contact.first_name }} {{ contact.last_name }}',
  '.Subscriber.Email': '{{ contact.email }}',
  '.Campaign.Name': '{{ campaign.name }}',
  UnsubscribeURL: '{{ unsubscribe_url }}',
  // The platform tracks opens and clicks itself.
  TrackView: '',
  '@TrackLink': '',
};

const fieldOf = (name: string): string | undefined => {
  const [, key] = /^\.Subscriber\.Attribs\.([\w-]+)$/.exec(name) ?? [];
  const attribute = key === undefined ? undefined : attributeKey(key);
  if (attribute !== undefined) return attributeField(attribute);
  return /^\.Subscriber\.(FirstName|LastName|Email)$/.test(name) ? /\{\{ (\S+) \}\}/.exec(oneEach[name] ?? '')?.[1] : undefined;
};

function translate(tag: string): Translated {
  const inside = tag.startsWith('{{') ? tag.slice(2, -2).replace(/^-\s/, '').replace(/\s-$/, '').trim() : tag;
  const [, call = inside] = /^(\w+)\s+\.$/.exec(inside) ?? [];
  if (Object.hasOwn(oneEach, call)) return { text: oneEach[call] ?? '' };
  const [word = '', ...rest] = inside.split(/\s+/);
  const field = fieldOf(rest.join(' '));
  if (word === 'if') return { opens: field && `{% if ${field} %}` };
  if (word === 'range' || word === 'with' || word === 'define' || word === 'block') return { opens: undefined };
  if (word === 'else') return { between: rest.length === 0 ? '{% else %}' : undefined };
  if (word === 'end') return { closes: '{% endif %}' };
  const [, url] = /^TrackLink\s+["`](https?:\/\/[^"`{}<>]+)["`](?:\s+\.)?$/.exec(inside) ?? [];
  if (url !== undefined) return { text: url };
  const value = fieldOf(inside);
  return value === undefined ? undefined : { text: output(value) };
}

export const translateTemplate = (html: string) => translateTags(html, tags, translate);

export function templateOf({ name, subject, body }: Template): MovedRecord {
  const html = translateTemplate(body ?? '');
  const head = translateTemplate(subject ?? '');
  const untranslated = [...new Set([...html.untranslated, ...head.untranslated])];
  return { kind: 'template', name, html: html.text, ...(head.text.trim() && { subject: head.text }), untranslated };
}
