import { QuietHours } from '@mp/contracts/quiet-hours';
import { z } from 'zod';
import { Occurrence } from './occurrence.ts';
import { Step } from './step.ts';
import { Trigger } from './trigger.ts';

export const Entry = z.strictObject({
  policy: z
    .enum(['once', 'after_exit', 'every_time'])
    .default('after_exit')
    .describe('Whether a contact can enter again: never (`once`), when its run has ended (`after_exit`), or at any time (`every_time`).'),
  key: z
    .string()
    .regex(/^data(\.[\p{L}\p{N}_$-]+){1,10}$/u, 'expected a path into the data of the run, such as data.properties.order_id')
    .optional()
    .describe('Applies the policy to each value of this data separately, so that a contact can be in the workflow once per order.'),
});
export type Entry = z.output<typeof Entry>;

export const OnError = z
  .enum(['continue', 'exit'])
  .describe('What happens when a step is refused or keeps failing: the run continues with the next step, or it ends as failed.');

export const definitionFields = {
  trigger: Trigger,
  steps: z.array(Step).min(1).max(100).describe('Runs start at the first step.'),
  entry: Entry,
  on_error: OnError,
  exit_when: z.array(Occurrence).max(10).describe('A run exits with the reason `exit_condition` when one of these happens, at any step.'),
  quiet_hours: QuietHours.nullable(),
  max_concurrent: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .describe(
      'How many runs can be open at the same time; null for no limit. A further run waits before its first step until another ends, in the order of their starts. A run that a user skips ahead, retries or reruns does not wait. Runs that started without a limit do not count.',
    ),
  priority: z
    .enum(['normal', 'high'])
    .describe(
      'Of the runs of the account that are due, those of workflows with a `high` priority take their next step first. Applies to runs that start afterwards.',
    ),
};

/** The values for definitions that were stored, or are sent, without these fields. */
export const definitionDefaults = {
  exit_when: definitionFields.exit_when.default([]),
  quiet_hours: definitionFields.quiet_hours.default(null),
  max_concurrent: definitionFields.max_concurrent.default(null),
  priority: definitionFields.priority.default('normal'),
};

/** One version of what a workflow does. A run stays on the version it started with. */
export const Definition = z.strictObject({
  ...definitionFields,
  ...definitionDefaults,
});
export type Definition = z.output<typeof Definition>;
