import { isDeepStrictEqual } from 'node:util';
import { Origin } from '@mp/contracts/origin';
import { Name } from '@mp/contracts/text';
import { type AccountId, newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { latestRelease } from '@mp/snippet/releases';
import { z } from 'zod';
import { newPublishableKey } from './publishable-key.ts';
import { snippetPath } from './snippet-path.ts';

/** The sites of an account. */
export const maxSites = 100;

const maxOrigins = 20;
const usualMaxEventsPerDay = 1_000_000;
const maxMaxEventsPerDay = 50_000_000;

const writable = {
  name: Name(200).describe('The name of the site.'),
  origins: z
    .array(Origin)
    .min(1)
    .max(maxOrigins)
    .overwrite((origins) => [...new Set(origins)])
    .describe('The origins whose pages may send events with the key of the site.'),
  max_events_per_day: z
    .number()
    .int()
    .min(1)
    .max(maxMaxEventsPerDay)
    .describe('The maximum number of events per UTC day. Further events are rejected with QUOTA_EXCEEDED until the next day.'),
};

const moment = z.iso.datetime();

export const Site = z
  .object({
    id: z.string().describe('The ID of the site.'),
    ...writable,
    publishable_key: z.string().describe('The key for the pages of the site. It is not a secret and can only send events.'),
    snippet: z
      .object({
        path: z.string().describe('The path of the latest version of the script, below the public URL of the platform.'),
        integrity: z.string().describe('The hash of the script, for the attribute `integrity`.'),
      })
      .describe('The script for the pages of the site. It never changes under this path.'),
    revision: z.number().int().describe('Increases with every change.'),
    first_event_at: moment.nullable().describe('When the first event of the site was received; null before that.'),
    last_event_at: moment.nullable().describe('When the latest event of the site was received, to the minute.'),
    excluded_events: z.number().int().describe('How many events were rejected because they came from `excluded_networks` of the settings.'),
    dropped_events: z
      .number()
      .int()
      .describe(
        'How many events pages dropped before they were sent, because more than 1,000 waited or they could not be written as JSON.',
      ),
    created_at: moment.describe('When the site was created.'),
    updated_at: moment.describe('When the site was last changed.'),
  })
  .meta({ id: 'Site' });
export type Site = z.output<typeof Site>;

export const SiteWithSecret = Site.extend({
  identity_secret: z
    .string()
    .describe(
      'The secret with which your server signs the tokens of `identify`. It is shown only in this response; keep it on your server.',
    ),
}).meta({ id: 'SiteWithSecret' });

export const CreateSiteBody = z.strictObject({
  ...writable,
  max_events_per_day: writable.max_events_per_day.default(usualMaxEventsPerDay),
});

/** A site from GET can be edited and sent back. The times and numbers of its events change on their own and are ignored. */
export const UpdateSiteBody = z.strictObject({ ...Site.shape, ...writable }).partial();

/** A site as it is stored; its times as dates, and its identity secret sealed. */
export type StoredSite = Omit<Site, 'snippet' | 'first_event_at' | 'last_event_at' | 'created_at' | 'updated_at'> & {
  account_id: AccountId;
  sealed_secret: string;
  first_event_at: Date | null;
  last_event_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export function newSite(
  accountId: AccountId,
  body: z.output<typeof CreateSiteBody>,
  sealSecret: (siteId: string) => string,
  now: Date,
): StoredSite {
  const id = newId('site');
  return {
    id,
    account_id: accountId,
    ...body,
    publishable_key: newPublishableKey(),
    sealed_secret: sealSecret(id),
    revision: 1,
    first_event_at: null,
    last_event_at: null,
    excluded_events: 0,
    dropped_events: 0,
    created_at: now,
    updated_at: now,
  };
}

const readOnlyFields = ['id', 'publishable_key', 'revision', 'created_at', 'updated_at'] as const;

/** Throws VALIDATION_ERROR if a read-only field was changed. Returns the same object if nothing changed. */
export function changeSite(before: StoredSite, body: z.output<typeof UpdateSiteBody>, now: Date): StoredSite {
  const shown = viewOfSite(before);
  rejectReadOnlyChanges(body, shown, readOnlyFields);
  const { name = before.name, origins = before.origins, max_events_per_day = before.max_events_per_day } = body;
  const changed = { name, origins, max_events_per_day };
  if (isDeepStrictEqual(changed, { name: before.name, origins: before.origins, max_events_per_day: before.max_events_per_day }))
    return before;
  return { ...before, ...changed, revision: before.revision + 1, updated_at: now };
}

export function viewOfSite({
  account_id,
  sealed_secret,
  first_event_at,
  last_event_at,
  created_at,
  updated_at,
  ...site
}: StoredSite): Site {
  return {
    ...site,
    snippet: { path: snippetPath(latestRelease), integrity: latestRelease.integrity },
    first_event_at: first_event_at?.toISOString() ?? null,
    last_event_at: last_event_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
