import { z } from 'zod';

/** The Marketing API 3.0; fields that are not read are ignored, and those that may be missing are optional. */
const text = z.string().nullish();
const total_items = z.number().int().nonnegative();

export const Lists = z.object({ lists: z.array(z.object({ id: z.string(), name: z.string() })), total_items });
export type List = z.infer<typeof Lists>['lists'][number];

export const MergeFields = z.object({
  merge_fields: z.array(z.object({ merge_id: z.number(), tag: z.string(), name: text, type: text })),
  total_items,
});
export type MergeField = z.infer<typeof MergeFields>['merge_fields'][number];

export const Members = z.object({
  members: z.array(
    z.object({
      id: z.string(),
      email_address: text,
      status: text,
      merge_fields: z.record(z.string(), z.unknown()).nullish(),
      interests: z.record(z.string(), z.unknown()).nullish(),
      tags: z.array(z.object({ name: z.string() })).nullish(),
      language: text,
      source: text,
      unsubscribe_reason: text,
      timestamp_signup: text,
      ip_signup: text,
      timestamp_opt: text,
      ip_opt: text,
      last_changed: text,
    }),
  ),
  total_items,
});
export type Member = z.infer<typeof Members>['members'][number];

export const AbuseReports = z.object({
  abuse_reports: z.array(z.object({ id: z.unknown(), email_address: text, date: text })),
  total_items,
});
export type AbuseReport = z.infer<typeof AbuseReports>['abuse_reports'][number];

export const Templates = z.object({
  templates: z.array(z.object({ id: z.number(), name: z.string(), type: text, active: z.boolean().nullish() })),
  total_items,
});
/** Templates have no HTML in the API; the campaigns that were made from one do. */
export const Campaigns = z.object({
  campaigns: z.array(z.object({ id: z.string(), settings: z.object({ template_id: z.number().nullish() }).nullish() })),
  total_items,
});
export const CampaignContent = z.object({ html: text });
