import { exactlyOneOf } from '@mp/contracts/constraints';
import { TimeOfDay } from '@mp/contracts/quiet-hours';
import { Rule } from '@mp/rules/rule';
import { conditionsOf } from '@mp/rules/where';
import { z } from 'zod';
import { DateField, FallbackZone, LocalTime, Offset } from './local-time.ts';
import { Occurrences } from './occurrence.ts';
import { Duration, passing, step } from './step-fields.ts';
import { StepId } from './step-id.ts';

const delays = ['for', 'until', 'until_local', 'until_date'] as const;

export const Delay = z
  .strictObject({
    ...passing,
    type: z.literal('delay'),
    for: Duration.optional(),
    until: z.iso.datetime({ offset: true }).optional().describe('Wait until this time. A time in the past does not delay the run.'),
    until_local: LocalTime.optional().describe("Wait until the next time that clocks in the contact's time zone show this time."),
    until_date: z
      .strictObject({
        field: DateField,
        offset: Offset.optional(),
        time: TimeOfDay.optional().describe("The time of day in the contact's time zone. Default: the time of the date itself."),
        timezone: FallbackZone,
      })
      .optional()
      .describe('Wait until a date of the contact. A date that is missing or in the past does not delay the run.'),
  })
  .refine((delay) => delays.filter((name) => delay[name] !== undefined).length === 1, {
    path: ['for'],
    message: 'a delay needs exactly one of `for`, `until`, `until_local` and `until_date`',
  })
  .meta(exactlyOneOf(delays));

export const WaitUntil = z.strictObject({
  ...step,
  type: z.literal('wait_until'),
  any: Occurrences.describe(
    'The run continues with `next` as soon as one of these happens. Fields, segments and consent are also evaluated when the run reaches the step.',
  ),
  timeout: Duration.describe('How long the run waits.'),
  next: StepId.nullable().optional().describe('The step to take when one of them happened. Without it, the run then ends.'),
  on_timeout: StepId.nullable().optional().describe('The step to take after `timeout`. Without it, the run then ends.'),
});

export const Goal = z.strictObject({
  ...passing,
  type: z.literal('goal'),
  any: Occurrences.describe('The run ends as `converted` when one of these happens, at any step.'),
  within: Duration.describe(
    'How long after the start of the run the goal counts. A run that reaches this step waits for the rest of that time, and then continues with `next`.',
  ),
});

const maxWeight = 1_000;

export const Split = z.strictObject({
  ...step,
  type: z.literal('split'),
  paths: z
    .array(
      z.strictObject({
        weight: z.int().min(1).max(maxWeight).describe('The share of this path, relative to the other weights.'),
        to: StepId.nullable().describe('The step to take; null ends the run.'),
      }),
    )
    .min(2)
    .max(10)
    .describe('A contact always takes the same path in one version of the workflow.'),
});

/** Conditions on what a run knows besides its contact. */
const RunConditions = conditionsOf(
  z.string().regex(/^(data|responses)\../, 'Write data.<name>, or responses.<step>.<name> for a value that a webhook step captured.'),
).meta({
  description: 'Conditions on the data of the run and on captured responses; all must match.',
  maxProperties: 10,
  examples: [{ 'data.properties.total': { gte: 100 } }],
});

export const Branch = z.strictObject({
  ...step,
  type: z.literal('branch'),
  branches: z
    .array(
      z
        .strictObject({
          when: Rule.optional().describe('A rule on the contact.'),
          data: RunConditions.optional(),
          to: StepId,
        })
        .refine(({ when, data }) => (when === undefined) !== (data === undefined), {
          path: ['when'],
          message: 'expected exactly one of `when` and `data`',
        }),
    )
    .min(1)
    .max(20)
    .describe('The first branch that matches is taken.'),
  else: StepId.nullable().optional().describe('The step to take when no rule matches. Without it, the run ends after this step.'),
});

export const Exit = z.strictObject({ ...step, type: z.literal('exit'), reason: z.string().trim().max(200).optional() });
