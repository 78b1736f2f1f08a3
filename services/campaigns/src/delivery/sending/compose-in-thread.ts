import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Keyring } from '@mp/contracts/keyring';
import { withMarks } from '@mp/contracts/tracked-links';
import type { RecipientId } from '@mp/ids';
import { compiledOnce } from '@mp/templates/compiled-once';
import { computingTimer } from '@mp/templates/computing-timer';
import { TemplateError } from '@mp/templates/message';
import { renderMessage } from '@mp/templates/render-message';
import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import { type LinkTargets, numberLinks } from '../../content/links/link-targets.ts';
import { type LinkPurpose, signLink } from '../../content/links/link-token.ts';
import { addressWith, replaceMarked } from '../../content/links/tracked-links.ts';
import { utmParameters } from '../../content/links/utm.ts';
import type { RecipientDocument } from '../../ledger/recipients/recipient-row.ts';
import type { SendableContent } from '../../messages/contents-store.ts';
import { postmarkMetadata } from '../providers/postmark.ts';
import { signReturnPath } from '../reports/return-path.ts';
import type { Signing } from '../senders/senders-store.ts';
import { inAscii } from './address-domain.ts';
import { messageIdOf, signedHeaders, subscriptionHeaders } from './mail-headers.ts';

export type ComposeTask = {
  content: SendableContent;
  source: Pick<RecipientDocument, 'account_id' | 'source' | 'source_id' | 'category'>;
  publicUrl: string;
  linkKeys: Keyring;
  mails: readonly MailToCompose[];
  signing?: Signing | undefined;
  /** The domain of return paths; undefined if bounces go to the sender. */
  bounceDomain?: string | undefined;
};

export type Attachment = { filename: string; contentType: string; content: Uint8Array };

/** The input for one email; `links` are the link targets of an earlier attempt. */
export type MailToCompose = {
  recipientId: RecipientId;
  email: string;
  contact: object;
  links: LinkTargets;
  data?: object;
  responses?: object;
  /** The code of the coupon that the content reads. */
  couponCode?: string;
  attachments?: readonly Attachment[];
};

export type Mail = { from: string; to: string; messageId: string; raw: Uint8Array; links: LinkTargets };

/** An email, or why it cannot be rendered for this contact. */
export type Composed = Mail | { fault: string };

/** After this much CPU time or this many bytes, the remaining emails wait for the account's next turn. */
const maxTaskMs = 250;
const maxBytes = 8 * 1_048_576;

/** Random, so that no field of a contact can contain it. */
const mark = `mp${randomBytes(12).toString('hex')}x`;

/** Composes these emails in order; only the first ones if all of them would take too long. */
export default async function composeInThread(task: ComposeTask): Promise<Composed[]> {
  const isExhausted = computingTimer(maxTaskMs);
  const composed: Composed[] = [];
  let bytes = 0;
  for (const mail of task.mails) {
    const made = await compose(task, mail).catch((error: unknown) => {
      if (error instanceof TemplateError) return { fault: `${error.problem.path}: ${error.message}` };
      throw error;
    });
    composed.push(made);
    bytes += 'raw' in made ? made.raw.length : 0;
    if (isExhausted() || bytes > maxBytes) break;
  }
  return composed;
}

async function compose(task: ComposeTask, mail: MailToCompose): Promise<Mail> {
  const { recipientId, email, contact, links, data, responses, couponCode, attachments = [] } = mail;
  const { source, publicUrl, linkKeys } = task;
  const { content, name } = task.content;
  const { category } = source;
  const link = (purpose: LinkPurpose, number = 0) =>
    `${publicUrl}/t/${signLink(linkKeys, { purpose, accountId: source.account_id, recipientId, number })}`;
  const unsubscribe = link('unsubscribe');
  const numbers = numberLinks(task.content.links, links);
  const utm = content.utm && utmParameters(content.utm, name);
  const message = compiledOnce({ ...content, html: content.track.clicks || utm ? withMarks(content.html, mark) : content.html });
  const { subject, html, text } = renderMessage(
    message,
    {
      contact,
      campaign: { name },
      unsubscribe_url: unsubscribe,
      ...(data && { data }),
      ...(responses && { responses }),
      ...(couponCode !== undefined && { couponCode }),
    },
    {
      rewrite: (rendered) =>
        replaceMarked(rendered, mark, (number, address) => {
          const tagged = utm ? addressWith(address, utm) : address;
          const followed = content.track.clicks ? numbers.of(number, tagged) : undefined;
          return followed === undefined ? tagged : link('click', followed);
        }),
      atEnd: content.track.opens && category !== 'test' ? pixel(link('open')) : '',
      unsubscribe: category !== 'transactional',
    },
  );
  const messageId = messageIdOf(recipientId, content.from.email);
  const built = await new MailComposer({
    from: { address: content.from.email, name: content.from.name ?? '' },
    to: { address: email, name: '' },
    ...(content.reply_to === null ? {} : { replyTo: content.reply_to }),
    subject: category === 'test' ? `[Test] ${subject}` : subject,
    ...(html === '' ? {} : { html }),
    text,
    messageId,
    headers: {
      ...(category === 'transactional' ? {} : subscriptionHeaders(unsubscribe, source.source_id, publicUrl)),
      'Feedback-ID': `${source.source_id}:${source.account_id}:${source.source}:mp`,
      [`X-PM-Metadata-${postmarkMetadata}`]: recipientId,
      'X-Auto-Response-Suppress': 'OOF, AutoReply',
    },
    attachments: attachments.map(({ filename, contentType, content: bytes }) => ({ filename, contentType, content: Buffer.from(bytes) })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
  const raw = task.signing ? await signed(built, task.signing) : built;
  return { from: returnPathOf(task, recipientId), to: inAscii(email), messageId, raw, links: numbers.targets };
}

/** The envelope sender: a signed return path if bounces are received here, else the sender. */
function returnPathOf({ source, content: { content }, linkKeys, signing, bounceDomain }: ComposeTask, recipientId: RecipientId): string {
  const domain = bounceDomain && (signing?.returnPath ?? bounceDomain);
  return domain ? signReturnPath(linkKeys, { accountId: source.account_id, recipientId }, domain) : inAscii(content.from.email);
}

const signed = (raw: Buffer, { domain, selector, privateKey }: Signing): Promise<Buffer> =>
  buffer(new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: signedHeaders }).sign(raw));

const pixel = (url: string) => `<img src="${url}" width="1" height="1" alt="" style="display:block">`;
