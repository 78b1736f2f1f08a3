import { instantOf } from './calendar.ts';
import type { Field } from './fields.ts';

type Text = string | null | undefined;
type Channel = 'email' | 'sms';
type Moment = Date | string | null | undefined;
type AttributeValue = string | number | boolean | readonly string[] | null;

/** The fields of a contact that a rule can read. A contact from the API fits this type. Absent and null values are missing. */
export type ContactProfile = {
  readonly external_id?: Text;
  readonly email?: Text;
  readonly phone?: Text;
  readonly first_name?: Text;
  readonly last_name?: Text;
  readonly company?: Text;
  readonly job_title?: Text;
  readonly locale?: Text;
  readonly timezone?: Text;
  readonly address?: { readonly [line in 'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country']?: Text } | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly attributes?: { readonly [key: string]: AttributeValue } | null | undefined;
  readonly status?: Text;
  readonly source?: Text;
  /** The status of a channel, or the consent record that contains it. */
  readonly consent?:
    | ({ readonly [channel in Channel]?: Text | { readonly status: string } } & {
        readonly topics?:
          | { readonly [topic: string]: { readonly [channel in Channel]?: Text | { readonly status: string } } }
          | null
          | undefined;
      })
    | null
    | undefined;
  readonly created_at?: Moment;
  readonly updated_at?: Moment;
  readonly last_seen_at?: Moment;
};

/** Returns a function that reads one field of a contact; undefined or null when it is missing. Date fields are returned as Date. */
export function fieldReader({ name, type }: Field): (contact: ContactProfile) => unknown {
  const dot = name.indexOf('.');
  if (dot < 0) return type === 'date' ? (contact) => dateOf(own(contact, name)) : (contact) => own(contact, name);
  const [branch, key] = [name.slice(0, dot), name.slice(dot + 1)];
  if (branch === 'consent') {
    const [channel = '', , topic] = key.split('.');
    if (topic === undefined) return ({ consent }) => statusOf(own(consent, channel));
    return ({ consent }) => statusOf(own(own(own(consent, 'topics'), topic), channel));
  }
  return (contact) => own(own(contact, branch), key);
}

const statusOf = (consent: unknown): unknown => (isRecord(consent) ? consent.status : consent);

// Own properties only, so that `attributes.constructor` is missing.
const own = (value: unknown, key: string): unknown => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function dateOf(value: unknown): Date | undefined {
  const instant = instantOf(value, 'UTC');
  return instant === undefined ? undefined : new Date(instant);
}
