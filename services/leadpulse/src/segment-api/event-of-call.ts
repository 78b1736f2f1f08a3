import { isIP } from 'node:net';
import type { ContactId } from '@mp/ids';
import type { Person, Rejection } from '../events/event.ts';
import type { SegmentTrait } from '../settings/segment-traits.ts';
import { contactFieldsOf } from './contact-fields.ts';
import { flatten, type Loose, memberOf, membersOf, momentOf, textOf } from './loose-values.ts';
import { revenueOf } from './order-revenue.ts';

export const callTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const;
export type CallType = (typeof callTypes)[number];

/** Whom a call names, if it is trusted to: with a secret key, or by a token that the customer signed. */
export type Named = { contact_id?: ContactId | undefined; external_id?: string | undefined; email?: string | undefined };

type Trust = {
  /** A secret key: what the call says of the user is true. */
  isServer: boolean;
  /** Whom the token of a page names; undefined without a valid one. */
  token: Named | undefined;
  /** Whether traits may reach the contact. */
  writesContacts: boolean;
  traits: readonly SegmentTrait[];
};

/** An event in the form of `POST /v2/leadpulse/track`, whom it identifies, and what could not be taken. */
export type Made = { body: Record<string, unknown>; person?: Person; notes: string[] };

export const typeOf = (value: unknown): CallType | undefined => callTypes.find((type) => type === value);

/** The event of a call. Whatever is not valid is left out; only a call that names nobody or nothing is rejected. */
export function eventOfCall(type: CallType, call: Loose, { isServer, token, writesContacts, traits: table }: Trust): Made | Rejection {
  const ids = idsOf(call);
  if ('code' in ids) return ids;
  const { userId, anonymousId, previousId, groupId } = ids;
  const notes: string[] = [];
  const { event, given, traits } = contentOf(type, call, groupId);
  const { values, leftOut } = flatten({ ...given, ...(!isServer && type !== 'track' && userId !== undefined && { user_id: userId }) });
  if (leftOut > 0) notes.push(`${leftOut} values were left out: too many, too long, too deep, or not allowed in an event.`);
  const time = call.timestamp ?? call.originalTimestamp;
  if (time != null && momentOf(time) === undefined) notes.push('timestamp is not a valid time; the event has the time of receipt.');

  const named: Named = isServer ? { external_id: userId } : (token ?? {});
  const { fields, unmapped } = contactFieldsOf(traits ?? {}, table);
  const { email, phone, ...unsigned } = fields;
  const known: Named = isServer && typeof email === 'string' && traits ? { ...named, email } : named;
  const identity =
    known.contact_id === undefined && known.external_id === undefined ? { email: known.email } : { ...known, email: undefined };
  let person: Person | undefined;
  if (traits && writesContacts && isNamed(known)) {
    const { contact_id = null, external_id = null, email: address = null } = known;
    person = { contact_id, external_id, email: address, fields: isServer && phone !== undefined ? { ...unsigned, phone } : unsigned };
    if (unmapped.length > 0) notes.push(`Traits without a contact field in the settings: ${unmapped.join(', ')}.`);
  } else if (traits) notes.push(notApplied(isServer, isNamed(known)));

  const visitor = isServer && type === 'alias' ? (previousId ?? anonymousId) : anonymousId;
  const value = event === undefined ? undefined : revenueOf(event, given);
  const body = {
    ...{ event, visitor_id: visitor, ...identity },
    ...{ message_id: textOf(call.messageId, 201), timestamp: momentOf(time), sent_at: momentOf(call.sentAt) },
    ...{ properties: values, context: contextOf(type, call), value },
  };
  return { body: Object.fromEntries(Object.entries(body).filter(([, member]) => member !== undefined)), notes, ...(person && { person }) };
}

const isNamed = ({ contact_id, external_id, email }: Named) => (contact_id ?? external_id ?? email) !== undefined;

function notApplied(isServer: boolean, isNamed: boolean) {
  if (!isServer) return 'Traits of a page change the visitor only, unless a token that your server signed identifies the contact.';
  return isNamed
    ? 'The contact is unchanged: the key lacks the scope contacts:write.'
    : 'No contact: the call has neither userId nor an email.';
}

/** The identifiers of the call. Numbers count as text; anything else but text is an error of the program. */
function idsOf(call: Loose): { userId?: string; anonymousId?: string; previousId?: string; groupId?: string } | Rejection {
  const ids: { [name in (typeof idNames)[number]]?: string } = {};
  for (const name of idNames) {
    const given = call[name];
    if (given == null || given === '') continue;
    const text = textOf(given, 256);
    if (text === undefined) return { code: 'invalid_type', path: `/${name}`, message: `${name} must be text.` };
    ids[name] = text;
  }
  return ids;
}
const idNames = ['userId', 'anonymousId', 'previousId', 'groupId'] as const;

/** The name and the properties of the event, and the traits if the call has some. */
function contentOf(type: CallType, call: Loose, groupId: string | undefined): { event: string | undefined; given: Loose; traits?: Loose } {
  const properties = membersOf(call.properties);
  const traits = membersOf(call.traits);
  const labels = { ...(call.name != null && { name: call.name }), ...(call.category != null && { category: call.category }) };
  switch (type) {
    case 'track':
      return { event: textOf(call.event, 101), given: properties };
    case 'page': {
      const { url, path, title, referrer, search, ...others } = properties;
      return { event: '$pageview', given: { ...others, ...labels } };
    }
    case 'screen':
      return { event: 'Screen Viewed', given: { ...properties, ...labels } };
    case 'identify':
      return { event: '$identify', given: traits, traits };
    case 'group': {
      const company = { company: { ...traits, ...(groupId !== undefined && { id: groupId }) } };
      return { event: '$identify', given: company, traits: company };
    }
    case 'alias':
      return { event: '$identify', given: {} };
  }
}

function contextOf(type: CallType, call: Loose) {
  const context = membersOf(call.context);
  const [ofContext, ofCall] = [membersOf(context.page), type === 'page' ? membersOf(call.properties) : {}];
  const pageMember = (name: string) => memberOf(Object.hasOwn(ofCall, name) ? ofCall : ofContext, name);
  const campaign = membersOf(context.campaign);
  const screen = membersOf(context.screen);
  const url = textOf(pageMember('url'), 2_049);
  const ip = textOf(context.ip, 64);
  const isScreen = [screen.width, screen.height].every(
    (length) => Number.isInteger(length) && Number(length) >= 0 && Number(length) < 100_000,
  );
  const pageFields = withoutMissing({
    url: url !== undefined && url.length <= 2_048 && URL.canParse(url) ? url : undefined,
    ...{ path: textOf(pageMember('path'), 500), title: textOf(pageMember('title'), 300) },
    referrer: textOf(pageMember('referrer'), 2_048),
  });
  return withoutMissing({
    page: Object.keys(pageFields).length > 0 ? pageFields : undefined,
    campaign: withoutMissing(
      Object.fromEntries(['source', 'medium', 'name', 'term', 'content'].map((name) => [name, textOf(campaign[name], 200)])),
    ),
    user_agent: textOf(context.userAgent, 1_024),
    ip: ip !== undefined && isIP(ip) !== 0 && !ip.includes('%') ? ip : undefined,
    locale: textOf(context.locale, 35),
    timezone: textOf(context.timezone, 64),
    screen: isScreen ? `${screen.width}x${screen.height}` : undefined,
  });
}

const withoutMissing = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
