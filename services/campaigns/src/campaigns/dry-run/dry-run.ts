import { contactId } from '@mp/contracts/ids';
import { z } from 'zod';
import { skipReasons } from '../../ledger/recipients/recipient.ts';
import { warnings } from '../campaign-warnings.ts';

/** How many contacts the result shows of those that would be emailed, and of those that would be skipped for each reason. */
export const samplesEach = 5;

/** The email is rendered for this many contacts, and after that for one in `sampleEvery`. */
export const maxRendered = 10_000;
export const sampleEvery = 100;

const Sample = z.object({
  contact_id: contactId.describe('The ID of the contact.'),
  email: z.string().nullable().describe('The address of the contact.'),
});

/** What sending the campaign now would do. */
export const DryRun = z
  .object({
    as_of: z.iso.datetime().describe('The time as of which the audience was read.'),
    exact: z.boolean().describe('Whether the whole audience was checked in time; if not, the counts cover the contacts that were.'),
    audience_count: z.number().int().describe('Contacts in the audience now.'),
    would_send: z.number().int().describe('Contacts that would be emailed.'),
    rendered: z
      .number()
      .int()
      .describe(
        `The number of contacts the email was rendered for: the first ${maxRendered}, and one in ${sampleEvery} after that. ` +
          'Template errors of the others are not predicted.',
      ),
    missing_fields: z
      .array(
        z.object({
          field: z.string().describe('The field, such as `contact.first_name`.'),
          count: z.number().int().describe('The number of contacts without a value.'),
        }),
      )
      .describe('Fields that the template uses and that are empty for some of the rendered contacts that would be emailed.'),
    skipped: z
      .array(
        z.object({
          reason: z.enum(skipReasons).describe('Why these contacts would not be emailed.'),
          count: z.number().int().describe('The number of contacts.'),
          samples: z
            .array(
              Sample.extend({ error: z.string().nullable().describe('Why the email cannot be rendered; only with `template_error`.') }),
            )
            .describe('Up to five of these contacts.'),
        }),
      )
      .describe('Contacts that would not be emailed, by reason.'),
    samples: z
      .array(
        Sample.extend({
          subject: z.string().nullable().describe('The rendered subject.'),
          html: z.string().nullable().describe('The rendered HTML.'),
          text: z.string().nullable().describe('The rendered text.'),
          missing_fields: z.array(z.string()).describe('Fields the template uses that have no value for this contact.'),
        }),
      )
      .describe('Up to five contacts that would be emailed, each with its rendered email.'),
    warnings,
    timezones: z
      .array(
        z.object({
          timezone: z.string().describe('The time zone; the fallback for contacts without one.'),
          count: z.number().int().describe('The number of contacts that would be emailed.'),
          send_at: z.iso.datetime().nullable().describe('When they would get the email; null without `schedule_at`.'),
          late_by_seconds: z
            .number()
            .int()
            .nullable()
            .describe(
              'How late that is, if it has already passed: these contacts would get the email immediately. 0 if it is in the future; null without `schedule_at`.',
            ),
        }),
      )
      .nullable()
      .describe('In `recipient` mode, when the contacts would get the email, by time zone; null in `fixed` mode.'),
  })
  .meta({ id: 'CampaignDryRun' });
export type DryRun = z.infer<typeof DryRun>;
