import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { formId } from '@mp/contracts/ids';
import { PlannedDay } from '@mp/contracts/moment';
import { FormRevenue } from '@mp/contracts/requests/leadpulse';
import type { AccountId, FormId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import {
  countsOrZero,
  dayOf,
  type FormCounts,
  type FormCountsStore,
  formCountsRetentionDays,
  otherValues,
  sumOf,
} from './form-counts-store.ts';
import type { FormsStore } from './forms-store.ts';

const dayMs = 24 * 60 * 60_000;
const usualDays = 30;
/** Enough to look up the orders of some hundred thousand contacts. */
const outcomeMs = 10_000;
const maxValues = 100;

const count = z.number().int();
const Counts = z.object({
  views: count.describe('How often the form was shown, on its own page or in another. Robots that say so are not counted.'),
  submissions: count.describe('Accepted submissions.'),
  new_contacts: count.describe('Submissions that created a contact.'),
  awaiting_confirmation: count.describe(
    'Submissions whose consent waits until it is confirmed by email, and contacts that a bulk job asked to confirm.',
  ),
  confirmations: count.describe('Requests for confirmation that were confirmed, on the day of the confirmation.'),
});

const FormRate = z.object({
  value: z.number().nullable().describe('Null if the denominator is zero.'),
  numerator: count.describe('The dividend.'),
  denominator: count.describe('The divisor.'),
  definition: z.string().describe('What is divided by what, in words.'),
});

const FormReport = z
  .object({
    form_id: formId.describe('The ID of the form.'),
    from: z.iso.datetime().describe('The start, inclusive.'),
    to: z.iso.datetime().describe('The end, exclusive.'),
    counts: Counts.describe('The counts of the whole range.'),
    rates: z.object({
      submission: FormRate.describe('The share of views that were followed by a submission.'),
      confirmation: FormRate.describe('The share of submissions that were confirmed, of those that had to be.'),
    }),
    series: z.array(
      z.object({
        from: z.iso.datetime().describe('The start of the UTC day.'),
        to: z.iso.datetime().describe('Its end, exclusive.'),
        counts: Counts.describe('The counts of the day.'),
      }),
    ),
    pages: z
      .array(
        z.object({
          page: z
            .string()
            .nullable()
            .describe(`The page that has the form; null for its own page, \`${otherValues}\` for the rest of a day.`),
          counts: Counts.describe('The counts of the page.'),
        }),
      )
      .describe(`The ${maxValues} pages with the most submissions.`),
    sources: z
      .array(
        z.object({
          source: z
            .string()
            .nullable()
            .describe(`\`utm_source\`, or the host of the referring website; null for none, \`${otherValues}\` for the rest of a day.`),
          counts: Counts.describe('The counts of the source.'),
        }),
      )
      .describe(`The ${maxValues} sources with the most submissions.`),
    outcome: z
      .object({
        orders: count.describe('Events of LeadPulse with a value above zero.'),
        revenue: z
          .array(
            z.object({
              amount: z.number().describe('The sum of the values, in units of the currency.'),
              currency: z.string().describe('The ISO 4217 code of the currency.'),
            }),
          )
          .describe('The value of all these events, by currency. Negative values, such as refunds, reduce it.'),
      })
      .nullable()
      .describe(
        'What the contacts that the form created ordered in the range, since it created them. Merged contacts count once, for the first ' +
          'form; the orders of deleted and erased contacts are kept. Null while LeadPulse is unavailable.',
      ),
  })
  .meta({ id: 'FormReport' });

const rate = (numerator: number, denominator: number, definition: string) => ({
  ...{ value: denominator === 0 ? null : numerator / denominator, numerator, denominator, definition },
});

const ratesOf = ({ views, submissions, awaiting_confirmation, confirmations }: FormCounts) => ({
  submission: rate(submissions, views, 'submissions ÷ views'),
  confirmation: rate(confirmations, awaiting_confirmation, 'confirmations ÷ submissions that wait for one'),
});

/** Throws VALIDATION_ERROR. */
function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: Date): { from: Date; to: Date } {
  const last = to === undefined ? dayOf(now) : new Date(to);
  const first = from === undefined ? new Date(last.getTime() - (usualDays - 1) * dayMs) : new Date(from);
  if (first > last) throw invalid('/query/to', 'empty_range', 'to must not be before from.');
  if (last.getTime() - first.getTime() >= formCountsRetentionDays * dayMs)
    throw invalid('/query/from', 'range_too_long', `The range must be at most ${formCountsRetentionDays} days.`);
  return { from: first, to: new Date(last.getTime() + dayMs) };
}

type Deps = { forms: Pick<FormsStore, 'get'>; formCounts: FormCountsStore; broker: Pick<Broker, 'request'> };

export function reportForm(app: Server, { forms, formCounts, broker }: Deps) {
  /** Null if LeadPulse does not reply: the numbers of the form itself need nothing else. */
  const outcomeOf = (accountId: AccountId, { formId, from, to }: { formId: FormId; from: Date; to: Date }) =>
    broker
      .request(FormRevenue, { account_id: accountId, form_id: formId, from: from.toISOString(), to: to.toISOString() }, outcomeMs)
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') return null;
        throw error;
      });

  app.get(
    '/v2/contacts/forms/:id/report',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'reportForm',
        summary: 'Get the report of a form',
        description:
          'Views, submissions and confirmations by UTC day, page and source, and what the contacts that the form created have ordered since. The counts are read ' +
          'from counters, which are written with what they count. Forms with markup of your own, or sent with `fetch`, have no views.',
        params: z.object({ id: formId.describe('The ID of the form.') }),
        querystring: z.strictObject({
          from: PlannedDay.optional().describe('The first UTC day; 29 days before the last by default.'),
          to: PlannedDay.optional().describe('The last UTC day; today by default.'),
        }),
        response: { 200: success(FormReport) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id } = await forms.get(accountId, request.params.id);
      const range = rangeOf(request.query, new Date());
      const query = { formId: id, ...range };
      const [byDay, pages, sources, outcome] = await Promise.all([
        formCounts.byDay(accountId, query),
        formCounts.byValue(accountId, 'page', query, maxValues),
        formCounts.byValue(accountId, 'source', query, maxValues),
        outcomeOf(accountId, query),
      ]);
      const counts = sumOf(byDay.values());
      const days = Array.from(
        { length: (range.to.getTime() - range.from.getTime()) / dayMs },
        (_, index) => range.from.getTime() + index * dayMs,
      );
      const data = {
        form_id: id,
        from: range.from.toISOString(),
        to: range.to.toISOString(),
        counts,
        rates: ratesOf(counts),
        series: days.map((day) => ({
          from: new Date(day).toISOString(),
          to: new Date(day + dayMs).toISOString(),
          counts: countsOrZero(byDay.get(day)),
        })),
        pages: pages.map(({ value: page, counts: own }) => ({ page, counts: own })),
        sources: sources.map(({ value: source, counts: own }) => ({ source, counts: own })),
        outcome,
      };
      return { success: true as const, data };
    },
  );
}
