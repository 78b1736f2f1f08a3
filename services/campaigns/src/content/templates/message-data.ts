import { z } from 'zod';

/** The maximum characters of `data` as JSON. */
const maxData = 100_000;

/** Values that the templates of a message read as `data`. */
export const MessageData = z
  .record(z.string().max(100), z.unknown())
  .refine((data) => JSON.stringify(data).length <= maxData, `expected at most ${maxData} characters of JSON`);
