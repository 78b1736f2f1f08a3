import { z } from 'zod';
import type { Source } from './source.ts';

/** A value of an attribute, as our API takes it. */
const Attribute = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type Attribute = z.infer<typeof Attribute>;

const Address = z
  .object({ line1: z.string(), line2: z.string(), city: z.string(), region: z.string(), postal_code: z.string(), country: z.string() })
  .partial();

/** The fields of a contact that come along, in the form of the body of `POST /v2/contacts`. */
const Fields = z
  .object({
    ...{ external_id: z.string(), phone: z.string(), first_name: z.string(), last_name: z.string(), company: z.string() },
    ...{ job_title: z.string(), locale: z.string(), timezone: z.string(), address: Address, tags: z.array(z.string()) },
    attributes: z.record(z.string(), Attribute),
  })
  .partial();
export type Fields = z.infer<typeof Fields>;

const Consent = z.object({
  status: z.enum(['subscribed', 'pending', 'unsubscribed']),
  method: z.enum(['form', 'import', 'double_opt_in', 'link', 'api']).optional(),
  at: z.string().optional(),
  evidence: z.object({ ip: z.string(), source: z.string(), submitted_at: z.string() }).partial().optional(),
});
export type Consent = z.infer<typeof Consent>;

/** Something that cannot come along as it is, with why. */
const Note = z.object({ about: z.string(), why: z.string() });
export type Note = z.infer<typeof Note>;

/** A past event, in the form of one of `POST /v2/leadpulse/track`. `message_id` is that of the other system. */
const EventBody = z.object({
  ...{ event: z.string(), message_id: z.string(), timestamp: z.string() },
  ...{ email: z.string().optional(), external_id: z.string().optional() },
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  value: z.object({ amount: z.number(), currency: z.string() }).optional(),
});
export type EventBody = z.infer<typeof EventBody>;

const suppression = {
  email: z.string(),
  reason: z.enum(['hard_bounce', 'complaint', 'manual']),
  suppressed_at: z.string().optional(),
  note: z.string().optional(),
};

/** What a provider reads, in our words. `id` is that of the other system. */
export const MovedRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('list'), id: z.string(), name: z.string() }),
  z.object({
    kind: z.literal('contact'),
    id: z.string(),
    email: z.string(),
    fields: Fields,
    /** null: there is none, and the contact must not get the account's default. */
    consent: Consent.nullable(),
    sms: Consent.optional(),
    /** The lists that this contact may be emailed as a member of. */
    lists: z.array(z.string()),
    /** The lists it has unsubscribed from. */
    left: z.array(z.string()).optional(),
    notes: z.array(Note),
  }),
  /** For systems that list the members of a list apart. */
  z.object({ kind: z.literal('member'), list: z.string(), contact: z.string() }),
  z.object({ kind: z.literal('suppression'), ...suppression }),
  z.object({
    kind: z.literal('template'),
    ...{ name: z.string(), subject: z.string().optional(), html: z.string(), untranslated: z.array(z.string()) },
  }),
  z.object({ kind: z.literal('event'), body: EventBody, notes: z.array(Note) }),
  /** What is not imported; `count` is how many, if it is more than one. */
  z.object({ kind: z.literal('note'), ...Note.shape, count: z.number().optional() }),
]);
export type MovedRecord = z.infer<typeof MovedRecord>;
type Of<Kind extends MovedRecord['kind']> = Extract<MovedRecord, { kind: Kind }>;
export type MovedContact = Of<'contact'>;
export type MovedSuppression = Of<'suppression'>;
export type MovedTemplate = Of<'template'>;
export type MovedEvent = Of<'event'>;

/** A page of records, and where to resume after it. */
export type Batch = { records: MovedRecord[]; next: string };

/** A file of an export, whose text is read when it is needed. `name` may have folders; nothing is written under it. */
export type ArchiveFile = { name: string; text: () => string };

/** The export of a system as a file: a ZIP archive, or a table on its own. */
export type Archive = {
  /** The system, as it spells its name. */
  title: string;
  /** What comes from such a file, in words. */
  describes: string;
  /** Throws SourceError if none of the files is one of this system. */
  recordsIn: (files: readonly ArchiveFile[]) => Iterable<MovedRecord>;
  /** What such a file does not have. */
  staysBehind: readonly string[];
};

/** Another system. Everything that differs between them is in this object and in what it calls. */
export type Provider = {
  /** As it spells its name. */
  title: string;
  /** The environment variable of its key. */
  keyVariable: string;
  /** What to ask for on a terminal. */
  keyPrompt: string;
  /** The URL of its API and the headers of each request. Throws SourceError for a key or URL that cannot be right. */
  connect: (key: string, url: string | undefined) => { url: string; headers: Record<string, string> };
  /** Everything, from the position of an earlier batch or from the start; events only from the day `eventsSince`. */
  read: (source: Source, after: string | null, options?: { eventsSince?: string | undefined }) => AsyncIterable<Batch>;
  /** Whether it reads events. */
  bringsEvents?: true;
  /** What the other system has and never comes along. */
  staysBehind: readonly string[];
  /** Its export as a file, instead of its API. */
  archive: Archive;
};
