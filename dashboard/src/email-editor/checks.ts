import { count } from '../numbers/format-number.ts';
import type { Sendable } from './email-preview.tsx';

/** What would keep an email from working, and what would make it better. */
export type Check = { level: 'error' | 'warning'; title: string; detail: string };

/** Gmail cuts an email off here, and with it the link to unsubscribe. */
const maxBytes = 102 * 1_024;

type Checked = {
  /** The email as it was written, with its Liquid. */
  content: Sendable;
  /** The postal address of the brand. */
  postalAddress: string | null;
  /** Errors of the templates. */
  problems: readonly string[];
  /** Whether the domain of the sender is verified; undefined until it is known. */
  isVerified: boolean | undefined;
  fromEmail: string;
  /** Fields that some contacts of the audience have no value for; undefined without an audience. */
  missing: readonly { field: string; count: number }[];
  brokenLinks: readonly { url: string; problem: string | null }[];
  /** How many contacts the email was rendered for. */
  rendered: number;
};

const imagesIn = (html: string) => html.match(/<img\b[^>]*>/gi) ?? [];
const isDescribed = (image: string) => /\salt\s*=\s*("[^"]+"|'[^']+'|[^\s"'>]+)/i.test(image) || /\salt\s*=\s*(""|'')/.test(image);
const hasEmptyAlt = (image: string) => /\salt\s*=\s*(""|'')/i.test(image);

/** Without tags and spaces, so that line breaks do not matter. */
const wordsOf = (text: string) => text.replace(/<[^>]*>/g, '').replace(/[\s,]+/g, '');

const fieldPath = /\bcontact(?:\.[\p{L}\w-]+|\[(?:'[^']*'|"[^"]*"|\d+)\])+/gu;

/** The fields that Liquid reads, by the names that the API reports: `contact.attributes['sign-up']` is `contact.attributes.sign-up`. */
const fieldsIn = (part: string) => part.match(fieldPath)?.map((path) => path.replace(/\[['"]?(.*?)['"]?\]/g, '.$1')) ?? [];

/** Whether something is blank for contacts without a value in the field: it is used without a fallback, outside of `if`s that need a value. */
export function isBlankWithout(field: string, source: string): boolean {
  const needsValue: boolean[] = [];
  for (const [, output, tag = '', condition = ''] of source.matchAll(/\{\{(.*?)\}\}|\{%-?\s*(\w+)(.*?)%\}/gs)) {
    const part = output ?? condition;
    const isRead = fieldsIn(part).includes(field);
    const isMet = isRead && !/!=|\b(?:or|nil|null|blank|empty|false)\b/.test(part);
    if (/^(?:if|unless|case)$/.test(tag)) needsValue.push(tag === 'if' && isMet);
    else if (/^(?:elsif|else|when)$/.test(tag)) needsValue.splice(-1, 1, tag === 'elsif' && isMet);
    else if (/^end(?:if|unless|case)$/.test(tag)) needsValue.pop();
    else if (isRead && !part.includes('default:') && !needsValue.includes(true)) return true;
  }
  return false;
}

export function checksOf({
  content: { subject, preview_text, html, text },
  postalAddress,
  problems,
  isVerified,
  fromEmail,
  missing,
  rendered,
  brokenLinks,
}: Checked): Check[] {
  const checks: Check[] = problems.map((detail) => ({ level: 'error', title: 'The email has an error', detail }));
  const add = (level: Check['level'], title: string, detail: string) => checks.push({ level, title, detail });

  if (subject.trim() === '') add('error', 'The subject is missing', 'Enter a subject.');
  if (!html.includes('unsubscribe_url'))
    add(
      'warning',
      'There is no unsubscribe link',
      'A link is added at the end of the email. Add {{ unsubscribe_url }} to place it yourself.',
    );
  if (postalAddress === null)
    add('warning', 'The postal address is missing', 'Many countries require it in marketing emails. Set it under Settings → Brand.');
  else if (!wordsOf(html).includes(wordsOf(postalAddress.replaceAll('&', '&amp;'))))
    add('warning', 'The postal address is missing', 'This email does not contain the address of your brand.');
  const undescribed = imagesIn(html).filter((image) => !isDescribed(image) || hasEmptyAlt(image)).length;
  if (undescribed > 0)
    add(
      'warning',
      undescribed === 1 ? 'An image has no alternative text' : `${undescribed} images have no alternative text`,
      'People who can’t see the images, or whose mail client blocks them, see this text.',
    );
  if (/href=("|')\1/.test(html)) add('error', 'A button or link has no URL', 'Enter its URL.');
  for (const { url, problem } of brokenLinks) add('warning', 'A link does not work', `${url}: ${problem}`);
  const bytes = new TextEncoder().encode(html).length;
  if (bytes > maxBytes)
    add('warning', `The email is ${Math.ceil(bytes / 1_024)} KB`, 'Gmail cuts off emails above 102 KB. Remove some blocks.');
  if (isVerified === false && fromEmail.includes('@'))
    add(
      'warning',
      `${fromEmail.slice(fromEmail.indexOf('@') + 1)} is not a verified domain`,
      'Without its DNS records (SPF, DKIM, DMARC), mailbox providers may mark the email as spam. Add it under Settings → Sending.',
    );
  const isBlank = (field: string) => [subject, preview_text, html, text ?? ''].some((part) => isBlankWithout(field, part));
  for (const { field, count: contacts } of missing.filter(({ field }) => isBlank(field)))
    add('warning', `${count(contacts)} of ${count(rendered)} contacts have no ${field}`, 'It will be blank for them. Add a fallback.');
  return checks;
}
