import { isIP } from 'node:net';
import { atLeastOneOf, conditional, has } from '@mp/contracts/constraints';
import { Email } from '@mp/contracts/contact';
import { Moment } from '@mp/contracts/moment';
import { isOneLine, oneLine } from '@mp/contracts/text';
import { isId } from '@mp/ids';
import { z } from 'zod';
import { isBlockedIdentifier } from './blocked-identifiers.ts';
import { EventProperties } from './properties.ts';

/** Built-in event names. Any other name that starts with `$` is rejected, so that more can be added. */
export const ownEvents = ['$pageview', '$identify', '$engagement', '$session_end'] as const;

const halfSurrogate = {
  message: 'expected well-formed Unicode, without unpaired surrogates',
  params: { code: 'invalid_format' },
};

/** Identifying text. Text that is not well-formed is rejected, because two different values could be stored as the same one. */
const name = (max: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed(), halfSurrogate);

/** An event name or visitor ID in a query; normalized in the same way as when it is stored. */
export const EventName = name(100);
export const AnonymousId = name(255);

const eventName = EventName.refine(isOneLine, oneLine)
  .refine((name) => !name.startsWith('$') || ownEvents.some((own) => own === name), {
    message: `names that start with $ are reserved (${ownEvents.join(', ')}); use another name`,
    params: { code: 'reserved_name' },
  })
  .describe(
    'The name of the event, such as `order_placed`; a page view is `$pageview`. `$session_end` marks when a visit ended, which its duration then ' +
      'includes. It is not an action of the visitor and does not end the session: an event soon after it belongs to the same one.',
  );

const identifier = AnonymousId.refine((value) => !isBlockedIdentifier(value), {
  message: 'this placeholder does not identify anyone; omit the field if the value is unknown',
  params: { code: 'blocked_identifier' },
});

/** Free text. It is made well-formed, so that a title cut in the middle of a character does not reject the event. */
const text = (max: number) =>
  z
    .string()
    .overwrite((value) => value.toWellFormed())
    .trim()
    .normalize('NFC')
    .max(max)
    .nullish();

const page = z.strictObject({
  url: z
    .string()
    .overwrite((value) => value.toWellFormed())
    .max(2_048)
    .refine(URL.canParse, 'expected a URL such as https://example.com/pricing')
    .nullish()
    .describe('The URL of the page.'),
  path: text(500).describe('The path of the page; taken from the URL if omitted.'),
  title: text(300).describe('The title of the page. In free text, unpaired surrogates are stored as U+FFFD.'),
  referrer: text(2_048).describe('The URL of the referring page.'),
});

/** The UTM parameters of the link that brought the visitor; taken from the page's URL if omitted. */
const campaign = z.strictObject({
  source: text(200).describe('`utm_source`.'),
  medium: text(200).describe('`utm_medium`.'),
  name: text(200).describe('`utm_campaign`.'),
  term: text(200).describe('`utm_term`.'),
  content: text(200).describe('`utm_content`.'),
});

export const Country = z.string().regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 alpha-2 code such as DE');

const context = z.strictObject({
  page: page.nullish().describe('The page on which the event happened.'),
  campaign: campaign
    .nullish()
    .describe('The UTM parameters of the link that brought the visitor; taken from the URL of the page if omitted.'),
  user_agent: text(1_024).describe('The User-Agent of the browser; it determines device, browser, operating system and bots.'),
  ip: z
    .string()
    .max(64)
    .refine((address) => isIP(address) !== 0 && !address.includes('%'), 'expected an IPv4 or IPv6 address')
    .nullish()
    .describe(
      'Only its network (/24 or /48) is stored. It determines the country if the operator has configured a database. ' +
        'An event from one of the excluded networks in the settings is rejected.',
    ),
  country: Country.nullish().describe(
    'The country as your edge determined it; by default that of `ip`, if the operator has configured a database of countries.',
  ),
  locale: text(35).describe('The locale of the browser, such as `de-DE`.'),
  timezone: text(64).describe('The time zone of the browser, such as `Europe/Berlin`.'),
  screen: z
    .string()
    .regex(/^\d{1,5}x\d{1,5}$/, 'expected width and height such as 1920x1080')
    .nullish()
    .describe('The width and height of the screen, such as `1920x1080`.'),
});

/** Amounts are stored in ten-thousandths of the currency, so that sums are exact. */
export const Value = z.strictObject({
  amount: z
    .number()
    .min(-1e9)
    .max(1e9)
    .refine((amount) => Number(amount.toFixed(4)) === amount, 'expected at most four decimals')
    .describe('The amount in units of the currency, with at most four decimals.'),
  currency: z
    .string()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as EUR')
    .describe('The ISO 4217 code of the currency.'),
});

const members = {
  event: eventName,
  message_id: name(200).nullish().describe('Your ID for the event; a second event with the same ID is a duplicate.'),
  visitor_id: identifier.nullish().describe('Your anonymous ID for the browser or device.'),
  contact_id: z
    .string()
    .refine((id) => isId('contact', id), 'expected a contact ID, such as contact_01h455vb4pex5vsknk084sn02q')
    .nullish()
    .describe('The ID of the contact.'),
  email: z
    .string()
    .trim()
    .normalize('NFC')
    .pipe(Email)
    .nullish()
    .describe('The email address of the contact. If no contact has it yet, the event belongs to the one that gets it later.'),
  external_id: identifier.nullish().describe('The external ID of the contact.'),
  timestamp: Moment.nullish().describe('When the event happened; now if omitted.'),
  sent_at: Moment.nullish().describe('When the request was sent, by your clock; used to correct `timestamp` if that clock is wrong.'),
  properties: EventProperties.nullish(),
  context: context.nullish().describe('Where the event happened: page, campaign, browser and network.'),
  value: Value.nullish().describe('The monetary value of the event, for revenue.'),
  backfill: z
    .boolean()
    .nullish()
    .describe('A past event: it counts in analytics and segments and is on the timeline of its contact, but starts no workflow.'),
};

const naming = ['visitor_id', 'contact_id', 'email', 'external_id'] as const;

type Given = { event?: string | undefined } & { [name in (typeof naming)[number]]?: string | null | undefined };

type Issues = { addIssue: (issue: { code: 'custom'; path: string[]; message: string; params: { code: string } }) => void };

const fault = (issues: Issues, path: string, code: string, message: string) =>
  issues.addIssue({ code: 'custom', path: [path], message, params: { code } });

/** The checks across fields, for a single event and for one in a batch. */
function checkEvent(event: Given, issues: Issues) {
  if (event.event === undefined) fault(issues, 'event', 'required', 'Send event with the name of the event, or events with several.');
  if (naming.every((name) => event[name] == null))
    fault(issues, 'visitor_id', 'identity_required', 'An event needs at least one of visitor_id, contact_id, email or external_id.');
}

const single = { ...members, event: eventName.optional() };

/** One event of a batch. */
export const EventBody = z
  .strictObject(single)
  .superRefine(checkEvent)
  .meta({ ...has('event'), ...atLeastOneOf(naming) })
  .transform(({ event = '', ...body }) => ({ ...body, event }));
export type EventBody = z.output<typeof EventBody>;

export const maxEvents = 1_000;
export const maxEventBytes = 32 * 1024;
export const tooBig = `An event must be at most ${maxEventBytes / 1024} KiB.`;

export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The fields of one event, or only `events`. */
export const TrackBody = z
  .strictObject({
    ...single,
    events: z
      .array(z.unknown())
      .min(1)
      .max(maxEvents)
      .optional()
      .describe('Events, each with the same fields as a single event. An invalid event is rejected without affecting the others.'),
  })
  .superRefine((body, issues) => {
    if (body.events === undefined) return checkEvent(body, issues);
    const beside = Object.keys(body).filter((name) => name !== 'events');
    if (beside.length > 0) fault(issues, beside[0] ?? 'event', 'events_alone', 'Use the fields of a single event or events, not both.');
  })
  .meta(conditional(has('events'), { maxProperties: 1, additionalProperties: true }, { ...has('event'), ...atLeastOneOf(naming) }));
