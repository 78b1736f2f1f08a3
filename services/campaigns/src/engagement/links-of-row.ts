import type { Mongo } from '@mp/service-kit/mongo';
import { contactScope } from '@mp/templates/fields';
import type { ContactablesStore } from '../audience/contactables/contactables-store.ts';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import type { LinkTargets } from '../content/links/link-targets.ts';
import type { ComposeEmails } from '../delivery/sending/compose-emails.ts';
import type { RecipientDocument } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { SendableContent } from '../messages/contents-store.ts';

export type LinksOfRow = ReturnType<typeof createLinksOfRow>;

type Deps = {
  mongo: Mongo;
  contactables: ContactablesStore;
  findMailable: FindMailable;
  composeEmails: ComposeEmails;
  recipients: RecipientsStore;
};

/** The fields of a contact that no longer exists. */
const withoutFields = { tags: [], address: {}, attributes: {} };

/**
 * The targets of those links in a sent email whose URL Liquid computed. If the ledger does not have them (emails from
 * before it stored them, restored backups, erased contacts), the email is rendered again for the contact as it is now,
 * or without fields if the contact no longer exists, and the targets are stored.
 */
export function createLinksOfRow({ mongo, contactables, findMailable, composeEmails, recipients }: Deps) {
  async function render(row: RecipientDocument, content: SendableContent): Promise<LinkTargets> {
    const { _id, account_id, contact_id, source, source_id } = row;
    const contact = (await findMailable(account_id, [contact_id])).get(contact_id)?.contact;
    const code = row.coupon_code === undefined ? {} : { couponCode: row.coupon_code };
    const mail = {
      ...code,
      recipientId: _id,
      email: contact?.email ?? '',
      contact: contact ? contactScope(contact) : withoutFields,
      links: {},
    };
    const [made] = await composeEmails({ content, source: { account_id, source, source_id }, mails: [mail] });
    const links = made && 'links' in made ? made.links : {};
    await mongo.transaction({ correlationId: _id, causationId: null }, async (tx) => {
      // Store nothing about a contact that has been deleted. Its erasure writes the same row, so the two cannot miss each other.
      const isThere = contact === undefined || (await contactables.find(account_id, [contact_id], tx)).get(contact_id);
      if (isThere) await recipients.keepLinks(tx, account_id, _id, links);
    });
    return links;
  }

  return async (row: RecipientDocument, content: SendableContent | undefined): Promise<LinkTargets> => {
    const isDecidedByLiquid = content?.links.some(({ target }) => target === null);
    return row.links ?? (content && isDecidedByLiquid ? await render(row, content) : {});
  };
}
