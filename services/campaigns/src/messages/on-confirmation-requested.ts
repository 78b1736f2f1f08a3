import { FormConfirmationRequested } from '@mp/contracts/events/contacts';
import type { PageLanguage } from '@mp/contracts/page-language';
import type { AccountId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import { MessageContent } from '../content/message-content.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { FindFault } from '../delivery/senders/require-sender.ts';
import { messageSources } from '../ledger/recipients/message-category.ts';
import { newRecipient, type RecipientDocument } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import { confirmationTexts } from './confirmation-texts.ts';
import type { ContentsStore } from './contents-store.ts';

type Deps = {
  recipients: RecipientsStore;
  contents: ContentsStore;
  templates: Pick<TemplatesStore, 'findOne'>;
  findRefusedSender: FindFault;
  formsUrl: string;
  wake: () => void;
};

type Requested = z.output<typeof FormConfirmationRequested.data>;

/**
 * Queues the email by which a visitor confirms a form, once per key. It is a transactional message: it needs no consent, because it asks for
 * it, and suppressed addresses get none. The link is not in the content, so that the API does not show it.
 */
export const onConfirmationRequested = ({ recipients, contents, templates, findRefusedSender, formsUrl, wake }: Deps) =>
  on(FormConfirmationRequested, async (tx, { account_id, data }) => {
    const { key, contact_id, email, confirm_path, texts, is_reminder, expires_at, sender, due_at } = data;
    if (new Date(expires_at) <= new Date()) return;
    if ((await recipients.existing(account_id, { source: 'message', key, contactIds: [contact_id], tx })).size > 0) return;
    const { content, template } = await contentFor(templates, tx, account_id, data);
    const fault = await findRefusedSender(account_id, sender.email);
    const row = newRecipient(
      {
        ...{ account_id, source: 'message', source_id: messageSources.messages, source_key: key, contact_id, to: email },
        content_id: await contents.keep(tx, account_id, content, { source: 'template' }),
        category: 'transactional',
        run_values: JSON.stringify({ data: { confirm_url: `${formsUrl}${confirm_path}`, texts, is_reminder } }),
        ...(template && { template }),
      },
      false,
      new Date(),
    );
    const paced = due_at === undefined ? row : { ...row, due_at: new Date(due_at) };
    await recipients.insert(tx, [fault === undefined ? paced : skipped(row, fault)]);
    tx.afterCommit(wake);
  });

/** The row of an email that is not sent, so that the ledger shows why. */
function skipped({ due_at: _, ...row }: RecipientDocument, detail: string): RecipientDocument {
  return { ...row, state: 'skipped', reason: 'unverified_domain', detail, tally_changed: true };
}

type Content = { content: MessageContent; template?: NonNullable<RecipientDocument['template']> };

/** The template of the form; the text of the platform if it has none, or one that no longer exists or fits. */
async function contentFor(templates: Deps['templates'], tx: Transaction, accountId: AccountId, requested: Requested): Promise<Content> {
  const { template_id, sender, language, is_reminder } = requested;
  const sent = { from: sender, reply_to: null, track: { opens: false, clicks: false } };
  const template = template_id === null ? undefined : await templates.findOne(accountId, template_id, tx);
  if (template?.subject) {
    const { id, version, subject, preview_text, html, text } = template;
    const { data: content } = MessageContent.safeParse({ ...sent, subject, preview_text, html, text });
    if (content) return { content, template: { id, version } };
  }
  return { content: MessageContent.parse({ ...sent, ...wordedIn(language, is_reminder) }) };
}

function wordedIn(language: PageLanguage, isReminder: boolean) {
  const { subject, reminder, intro, button, ignore } = confirmationTexts[language];
  const link = 'style="display:inline-block;padding:12px 24px;border-radius:6px;background:#1f2933;color:#ffffff;text-decoration:none"';
  return {
    subject: isReminder ? reminder : subject,
    preview_text: null,
    html:
      `<!doctype html><html lang="${language}"><body style="font:16px/1.5 sans-serif"><p>${intro}</p>` +
      `<ul>{% for text in data.texts %}<li>{{ text }}</li>{% endfor %}</ul>` +
      `<p><a href="{{ data.confirm_url }}" ${link}>${button}</a></p><p>${ignore}</p></body></html>`,
    text: `${intro}\n{% for text in data.texts %}\n- {{ text }}{% endfor %}\n\n${button}: {{ data.confirm_url }}\n\n${ignore}\n`,
  };
}
