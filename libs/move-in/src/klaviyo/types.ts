import { z } from 'zod';

/** JSON:API of the revision in the client; fields that are not read are ignored. */
const text = z.string().nullish();
const links = z.object({ next: text }).nullish();

const Channel = z.object({
  marketing: z
    .object({
      consent: text,
      consent_timestamp: text,
      last_updated: text,
      method: text,
      method_detail: text,
      double_optin: z.boolean().nullish(),
      suppression: z.array(z.object({ reason: text, timestamp: text })).nullish(),
      list_suppressions: z.array(z.object({ list_id: text, reason: text, timestamp: text })).nullish(),
    })
    .nullish(),
});
export type Marketing = NonNullable<z.infer<typeof Channel>['marketing']>;

export const Profiles = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      attributes: z.object({
        ...{ email: text, phone_number: text, external_id: text, first_name: text, last_name: text, organization: text, title: text },
        ...{ locale: text, created: text },
        location: z
          .object({
            ...{ address1: text, address2: text, city: text, region: text, country: text, timezone: text },
            zip: z.union([z.string(), z.number()]).nullish(),
          })
          .nullish(),
        properties: z.record(z.string(), z.unknown()).nullish(),
        subscriptions: z.object({ email: Channel.nullish(), sms: Channel.nullish() }).nullish(),
      }),
    }),
  ),
  links,
});
export type Profile = z.infer<typeof Profiles>['data'][number];

export const Lists = z.object({ data: z.array(z.object({ id: z.string(), attributes: z.object({ name: z.string() }) })), links });
export type List = z.infer<typeof Lists>['data'][number];

export const Members = z.object({ data: z.array(z.object({ id: z.string() })), links });

const related = z.object({ data: z.object({ id: z.string() }).nullish() }).nullish();

export const Events = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      attributes: z.object({ datetime: text, event_properties: z.record(z.string(), z.unknown()).nullish() }),
      relationships: z.object({ metric: related, profile: related }).nullish(),
    }),
  ),
  /** The metrics and profiles that `data` refers to. */
  included: z
    .array(z.object({ type: z.string(), id: z.string(), attributes: z.object({ name: text, email: text, external_id: text }).nullish() }))
    .nullish(),
  links,
});
export type EventPage = z.infer<typeof Events>;

export const Accounts = z.object({ data: z.array(z.object({ attributes: z.object({ preferred_currency: text }) })) });

export const Templates = z.object({
  data: z.array(z.object({ id: z.string(), attributes: z.object({ name: z.string(), html: text }) })),
  links,
});
export type Template = z.infer<typeof Templates>['data'][number];
