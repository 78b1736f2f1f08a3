import { z } from 'zod';

/** Where a link of an email leads. */
export const CheckedLink = z
  .object({
    url: z.string().describe('The link, as it was sent.'),
    ok: z
      .boolean()
      .nullable()
      .describe('Whether the page responds with a status below 400, after at most five redirects; null if there was no time to check it.'),
    status: z.number().int().nullable().describe('The HTTP status of the page; null if there was no response.'),
    problem: z.string().nullable().describe('What is wrong with the link, in words; null if it works.'),
  })
  .meta({ id: 'CheckedLink' });
export type CheckedLink = z.infer<typeof CheckedLink>;
