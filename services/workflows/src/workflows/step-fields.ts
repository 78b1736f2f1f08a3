import { durationMs } from '@mp/rules/duration';
import { z } from 'zod';
import { StepId } from './step-id.ts';

/** The longest delay, in days. */
const maxDelayDays = 400;
const maxDelayMs = maxDelayDays * 24 * 60 * 60 * 1_000;

/** A single line. `definitionProblems` checks this on write, so that definitions stored before can still be read. */
export const text = (maxLength: number) => z.string().trim().normalize('NFC').max(maxLength);

export const step = { id: StepId, name: text(200).optional() };
export const passing = {
  ...step,
  next: StepId.nullable().optional().describe('The id of the next step. Without it, the run ends after this step.'),
};

export const Duration = z
  .string()
  .max(50)
  .refine(
    (text) => (durationMs(text) ?? 0) > 0,
    'expected an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as P1D or PT2H',
  )
  .refine((text) => (durationMs(text) ?? 0) <= maxDelayMs, `a delay can be at most ${maxDelayDays} days`)
  .meta({ description: `An ISO 8601 duration of at most P${maxDelayDays}D. P1D is 24 hours.`, examples: ['P1D', 'PT2H'] });
