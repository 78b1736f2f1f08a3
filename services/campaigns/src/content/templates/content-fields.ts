import { Line, Name } from '@mp/contracts/text';
import { z } from 'zod';

/** The maximum characters of each part of an email, and of a design as JSON. */
export const maxContent = 400_000;
export const contentBodyLimit = 2 * 1_048_576;

const part = z.string().max(maxContent);

/** What an editor stores to open the content again. */
const Design = z
  .record(z.string().max(200), z.unknown())
  .refine((design) => JSON.stringify(design).length <= maxContent, `expected at most ${maxContent} characters of JSON`);

/** The parts of an email that a caller may set. */
export const contentFields = {
  subject: Name(500).describe('A Liquid template over `contact`.'),
  preview_text: Line(250).nullable().describe('A Liquid template; mailboxes show it beside the subject.'),
  html: part.describe(
    'A Liquid template; values are HTML-escaped. Empty if the email has only `text`; compiled from `mjml` if that is set.',
  ),
  mjml: part.nullable().describe('MJML with Liquid, from which `html` is compiled.'),
  text: part.nullable().describe('A Liquid template; generated from the HTML if null.'),
  design: Design.nullable().describe('The document of an editor. It is stored and returned, and does not affect the email.'),
};
