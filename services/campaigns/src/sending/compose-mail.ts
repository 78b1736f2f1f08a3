import { type Contact, domainKey } from '@mp/contracts/contact';
import type { Keyring } from '@mp/contracts/keyring';
import MailComposer from 'nodemailer/lib/mail-composer';
import { type LinkPurpose, signLink } from '../links/link-token.ts';
import type { RecipientDocument } from '../recipients/recipients-store.ts';
import type { SendableContent } from '../templates/contents-store.ts';
import { renderMessage } from '../templates/render-message.ts';
import { contactScope } from '../templates/template-fields.ts';

export type Mail = { from: string; to: string; messageId: string; raw: Buffer };

/** The same for every attempt, so that a receiver can tell a repetition. */
export const messageIdOf = (recipientId: string, fromEmail: string) =>
  `<${recipientId.replace('_', '.')}@${travelling(fromEmail).slice(fromEmail.lastIndexOf('@') + 1)}>`;

/** An address as it travels: its domain as it is in the DNS, which every mail server takes. */
function travelling(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + (domainKey(email.slice(at)) || email.slice(at));
}

/** Makes the mail of one ledger row. Throws TemplateError when the content cannot be rendered for this contact. */
export function createComposeMail({ linkKeys, publicUrl }: { linkKeys: Keyring; publicUrl: string }) {
  return async (row: RecipientDocument, contact: Contact, email: string, { message, name }: SendableContent): Promise<Mail> => {
    const { content } = message;
    const link = (purpose: LinkPurpose, number = 0) =>
      `${publicUrl}/t/${signLink(linkKeys, { purpose, accountId: row.account_id, recipientId: row._id, number })}`;
    const unsubscribe = link('unsubscribe');
    const scope = { contact: contactScope(contact), campaign: { name }, unsubscribe_url: unsubscribe };
    const { subject, html, text } = renderMessage(message, scope, {
      tracked: message.tracked.map((_, number) => link('click', number)),
      pixelUrl: content.track.opens ? link('open') : undefined,
    });
    const messageId = messageIdOf(row._id, content.from.email);
    const raw = await new MailComposer({
      from: { address: content.from.email, name: content.from.name ?? '' },
      to: { address: email, name: '' },
      ...(content.reply_to === null ? {} : { replyTo: content.reply_to }),
      subject,
      html,
      text,
      messageId,
      headers: {
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Id': { prepared: true, value: `<${row.source_id.replace('_', '.')}.${new URL(publicUrl).hostname}>` },
        'Feedback-ID': `${row.source_id}:${row.account_id}:${row.source}:mp`,
        'X-Auto-Response-Suppress': 'OOF, AutoReply',
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
    return { from: travelling(content.from.email), to: travelling(email), messageId, raw };
  };
}
