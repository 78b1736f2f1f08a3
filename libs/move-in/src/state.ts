import { z } from 'zod';

const Counts = z.object({ created: z.number(), updated: z.number(), unchanged: z.number(), failed: z.number() });
export type Counts = z.infer<typeof Counts>;

/** `position` is how much of a step is done, or the ID of what carries it out; `key` names its requests, even after a restart. */
const Step = z.object({
  attempt: z.number().default(0),
  key: z.string().optional(),
  position: z.string().optional(),
  done: z.boolean().default(false),
  counts: Counts.optional(),
});
export type Step = z.infer<typeof Step>;

/** What was written so far. */
export const Written = z.object({ steps: z.record(z.string(), Step), errors: z.array(z.string()).default([]) });
export type Written = z.infer<typeof Written>;

/**
 * How long after its start an interrupted import can resume. Contacts unsubscribe in the other system meanwhile, so what was read there
 * soon stops to count. A file stays what it is, but the platform removes the jobs of an import after 30 days.
 */
export const maxPauseMs = { system: 12 * 3_600_000, file: 14 * 24 * 3_600_000 };

/** What was written so far, and how it is recorded. */
export type Progress = { state: Written; save: () => void | Promise<void> };
