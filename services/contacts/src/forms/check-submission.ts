import { ApiError, type ErrorDetail } from '@mp/contracts/errors';
import { PageLanguage } from '@mp/contracts/page-language';
import { z } from 'zod';
import { type ContactChange, CreateContactBody } from '../contacts/contact-body.ts';
import { isDisposable } from './disposable-addresses.ts';
import type { Form } from './form.ts';
import { attributeOf, type FormField, type Label } from './form-content.ts';
import { maxSourceLength, PageUrl, VisitorOfPage } from './form-place.ts';
import type { GivenConsent } from './opt-ins-store.ts';

const Value = z.union([z.string().max(2_000), z.number(), z.boolean()]);
type Value = z.output<typeof Value>;

/** What a page sends. */
export const SubmissionBody = z.strictObject({
  fields: z
    .record(z.string().max(80), Value)
    .refine((fields) => Object.keys(fields).length <= 50, 'expected at most 50 fields')
    .describe('The values by field, such as `email` or `attributes.plan`.'),
  consents: z.array(z.string().max(64)).max(20).default([]).describe('The keys of the consents that the visitor gave.'),
  language: PageLanguage.optional().describe('The language in which the page was shown; that of the browser by default.'),
  page: PageUrl.optional().describe('The address of the page that has the form.'),
  submission_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{8,64}$/, 'expected 8 to 64 letters, digits, _ or -')
    .optional()
    .describe('Makes a submission safe to retry: the same one counts once.'),
  source: z.string().trim().min(1).max(maxSourceLength).optional().describe('Where the visit to that page came from.'),
  visitor_id: VisitorOfPage.optional().describe("The ID that LeadPulse's script gave to the visitor."),
  stamp: z.string().max(200).optional().describe('The stamp of the page, which proves when it was rendered.'),
  website: z.string().max(2_000).optional().describe('Stays empty; visitors do not see it, but robots fill it in.'),
  captcha: z.string().max(4_000).optional().describe('The solution of the proof of work.'),
});
export type SubmissionBody = z.output<typeof SubmissionBody>;

/** A submission that fits the form. */
export type CheckedSubmission = { body: ContactChange & { email: string }; consents: GivenConsent[] };

/** The text in the language, else in that of the form, else in any. */
export const inLanguage = (label: Label, language: PageLanguage, fallback: PageLanguage): string =>
  label[language] ?? label[fallback] ?? Object.values(label)[0] ?? '';

const isEmpty = (value: Value | undefined) => value === undefined || value === false || (typeof value === 'string' && value.trim() === '');

/** The value as it is stored, or why it cannot be. */
function stored({ type, options }: FormField, value: Value): Value | { problem: string } {
  const text = typeof value === 'string' ? value.trim() : value;
  switch (type) {
    case 'number': {
      const number = typeof text === 'string' ? Number(text) : text;
      return typeof number === 'number' && Number.isFinite(number) ? number : { problem: 'expected a number' };
    }
    case 'checkbox':
      return text === true || text === 'on' || text === 'true';
    case 'select':
      return options.some((option) => option.value === text) ? text : { problem: 'expected one of the options' };
    case 'date':
      return z.iso.date().safeParse(text).success ? text : { problem: 'expected a date such as 2026-11-27' };
    default:
      return typeof text === 'string' ? text : { problem: 'expected text' };
  }
}

const pathOf = (field: string) => `/fields/${field}`;

/** Throws VALIDATION_ERROR with the path of every problem, in the same way for every address. */
export function checkSubmission(form: Form, { fields, consents }: SubmissionBody, language: PageLanguage): CheckedSubmission {
  const problems: ErrorDetail[] = [];
  const refuse = (path: string, code: string, text: string) => problems.push({ path, code, message: text });
  const given = new Map(Object.entries(fields));
  for (const name of given.keys())
    if (!form.fields.some(({ field }) => field === name)) refuse(pathOf(name), 'unrecognized_keys', 'The form has no such field.');

  const values = form.fields.flatMap((field) => {
    const value = given.get(field.field);
    if (value === undefined || isEmpty(value)) {
      if (field.required) refuse(pathOf(field.field), 'required', 'required');
      return [];
    }
    const result = stored(field, value);
    if (typeof result !== 'object') return [[field.field, result] as const];
    refuse(pathOf(field.field), 'invalid_format', result.problem);
    return [];
  });

  const known = new Set(form.consents.map(({ key }) => key));
  for (const key of consents) if (!known.has(key)) refuse('/consents', 'invalid_value', 'The form does not ask for this consent.');
  const agreed = form.consents.filter(({ key, display, required }) => {
    const isGiven = display === 'notice' || consents.includes(key);
    if (required && !isGiven) refuse('/consents', 'required', 'required');
    return isGiven;
  });

  const parsed = CreateContactBody.safeParse(contactFrom(values));
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = path.join('.');
    if (!problems.some((problem) => problem.path === pathOf(field))) refuse(pathOf(field), 'invalid_format', message);
  }
  const email = parsed.data?.email;
  if (email && form.reject_disposable_addresses && isDisposable(email))
    refuse('/fields/email', 'disposable_address', 'expected a permanent address; this one belongs to a disposable email service');
  if (problems.length > 0 || !parsed.data || !email) {
    const [first] = problems;
    throw new ApiError('VALIDATION_ERROR', first ? `${first.path}: ${first.message}` : 'The submission is invalid.', { details: problems });
  }
  return {
    body: { ...parsed.data, email },
    consents: agreed.map(({ channel, topics, text }) => ({
      channel,
      topics: [...topics],
      text: inLanguage(text, language, form.language),
    })),
  };
}

function contactFrom(values: readonly (readonly [field: string, value: Value])[]): object {
  const attributes: [string, Value][] = [];
  const address: [string, Value][] = [];
  const own: [string, Value][] = [];
  for (const [field, value] of values) {
    const key = attributeOf(field);
    if (key !== undefined) attributes.push([key, value]);
    else if (field.startsWith('address.')) address.push([field.slice('address.'.length), value]);
    else own.push([field, value]);
  }
  return {
    ...Object.fromEntries(own),
    ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
    ...(address.length > 0 && { address: Object.fromEntries(address) }),
  };
}
