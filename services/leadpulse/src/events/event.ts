import { emailKey } from '@mp/contracts/contact';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { CountryOf } from '../countries/country-file.ts';
import { defaultRetentionDays } from '../time/retention-days.ts';
import type { EventBody } from './event-body.ts';
import { outOfRange, timeOf } from './event-time.ts';
import type { Properties } from './properties.ts';
import { storedNetworkOf } from './stored-network.ts';
import { deviceOf } from './user-agent.ts';

export type Page = { url: string | null; path: string | null; title: string | null; referrer: string | null };
export type Utm = { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null };

/** An event as it is stored: with its time corrected, its IP address reduced to the network, and its device parsed. */
export type Event = {
  id: string;
  account_id: AccountId;
  message_id: string;
  name: string;
  time: Date;
  received_at: Date;
  backfill: boolean;
  bot: boolean;
  /** The key of its visitor: `visitor:…` with the caller's anonymous ID, otherwise its first claim. */
  visitor_key: string;
  visitor_id: string | null;
  /** The identifiers of its contact in order of precedence: `contact:…`, `external:…`, `email:…`. Empty for an anonymous event. */
  claims: string[];
  contact_id: ContactId | null;
  properties: Properties;
  page: Page | null;
  utm: Utm | null;
  device: string | null;
  browser: string | null;
  os: string | null;
  country: string | null;
  context: { user_agent: string | null; network: string | null; locale: string | null; timezone: string | null; screen: string | null };
  /** `units` are ten-thousandths of the currency, so that sums are exact. */
  value: { units: number; currency: string } | null;
  /** Whom the event identifies to contacts, until it is counted. */
  person?: Person;
};

/** Whom a call to the Segment-compatible API names, and what it says of them, as fields of the contact. */
export type Person = { contact_id: ContactId | null; external_id: string | null; email: string | null; fields: Record<string, unknown> };

export type Rejection = { code: string; message: string; path: string };

/** How an event is received: when, how many days it may be old, the country of an address, and whether that is internal traffic. */
export type Receipt = { now: Date; maxDays?: number; countryOf?: CountryOf; isExcluded?: (address: string) => boolean };

/** Returns the event, or why it is rejected. */
export function newEvent(
  accountId: AccountId,
  body: EventBody,
  { now, maxDays = defaultRetentionDays, countryOf, isExcluded }: Receipt,
): Event | Rejection {
  const time = timeOf(body, now);
  const fault = outOfRange(time, now, maxDays);
  if (fault) return fault;
  const context = body.context ?? {};
  if (context.ip && isExcluded?.(context.ip)) return excludedNetwork('/context/ip');
  const id = newId('activity');
  const userAgent = context.user_agent || null;
  const page = pageOf(context.page);
  const claims = claimsOf(body);
  return {
    id,
    account_id: accountId,
    message_id: body.message_id ?? id,
    name: body.event,
    time,
    received_at: now,
    backfill: body.backfill ?? false,
    visitor_key: body.visitor_id ? `visitor:${body.visitor_id}` : (claims[0] ?? ''),
    visitor_id: body.visitor_id ?? null,
    claims,
    contact_id: null,
    properties: body.properties ?? {},
    page,
    utm: utmOf(context.campaign, page),
    ...deviceOf(userAgent),
    country: context.country ?? (context.ip ? (countryOf?.(context.ip) ?? null) : null),
    context: {
      user_agent: userAgent,
      network: context.ip ? storedNetworkOf(context.ip) : null,
      locale: context.locale || null,
      timezone: context.timezone || null,
      screen: context.screen ?? null,
    },
    value: body.value ? { units: Math.round(body.value.amount * 10_000), currency: body.value.currency } : null,
  };
}

export const isRejection = (made: Event | Rejection): made is Rejection => 'code' in made;

export const excludedNetwork = (path: string): Rejection => ({
  code: 'excluded_network',
  path,
  message: 'Events from this network are excluded in the settings.',
});

const claimsOf = ({ contact_id, external_id, email }: EventBody) => [
  ...(contact_id ? [`contact:${contact_id}`] : []),
  ...(external_id ? [`external:${external_id}`] : []),
  ...(email ? [`email:${emailKey(email)}`] : []),
];

type GivenContext = NonNullable<EventBody['context']>;

function pageOf(given: GivenContext['page']): Page | null {
  if (!given) return null;
  const url = given.url ? new URL(given.url) : undefined;
  return {
    url: given.url ?? null,
    path: given.path || url?.pathname.slice(0, 500) || null,
    title: given.title || null,
    referrer: given.referrer || null,
  };
}

function utmOf(given: GivenContext['campaign'], page: Page | null): Utm | null {
  const query = page?.url ? new URL(page.url).searchParams : undefined;
  const parameter = (name: string) => query?.get(`utm_${name}`)?.trim().slice(0, 200) || null;
  const utm: Utm = {
    source: given?.source || parameter('source'),
    medium: given?.medium || parameter('medium'),
    campaign: given?.name || parameter('campaign'),
    term: given?.term || parameter('term'),
    content: given?.content || parameter('content'),
  };
  return Object.values(utm).some((part) => part !== null) ? utm : null;
}
