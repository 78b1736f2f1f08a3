import { z } from 'zod';

/** The API of listmonk 2.0 to 6; fields that are not read are ignored. */
const text = z.string().nullish();
const paged = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.object({ results: z.array(item).nullish(), total: z.number().int() }) });

export const Lists = paged(z.object({ id: z.number(), name: z.string() }));

export const Subscribers = paged(
  z.object({
    id: z.number(),
    email: text,
    name: text,
    status: text,
    attribs: z.record(z.string(), z.unknown()).nullish(),
    created_at: text,
    updated_at: text,
    lists: z
      .array(
        z.object({
          id: z.number(),
          name: text,
          optin: text,
          subscription_status: text,
          subscription_created_at: text,
          subscription_updated_at: text,
        }),
      )
      .nullish(),
  }),
);
export type Subscriber = NonNullable<z.infer<typeof Subscribers>['data']['results']>[number];

export const Bounces = paged(z.object({ id: z.number(), email: text, type: text, created_at: text }));
export type Bounce = NonNullable<z.infer<typeof Bounces>['data']['results']>[number];

export const Templates = z.object({
  data: z.array(z.object({ id: z.number(), name: z.string(), type: text, subject: text, body: text })).nullish(),
});
export type Template = NonNullable<z.infer<typeof Templates>['data']>[number];
