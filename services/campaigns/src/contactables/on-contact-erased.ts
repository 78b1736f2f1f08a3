import { CampaignsContactErased } from '@mp/contracts/events/campaigns';
import { ContactErased } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { Outbox } from '@mp/service-kit/outbox';
import type { EngagementsStore } from '../engagements/engagements-store.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import type { ContactablesStore } from './contactables-store.ts';
import type { CopiesStore } from './copies-store.ts';

type Deps = {
  contactables: ContactablesStore;
  recipients: RecipientsStore;
  engagements: EngagementsStore;
  copies: CopiesStore;
  outbox: Outbox;
};

/** Removes what is personal of a contact, under every id the person had, and confirms it. The ledger's rows and sums stay. */
export const onContactErased = ({ contactables, recipients, engagements, copies, outbox }: Deps) =>
  on(ContactErased, async (tx, { account_id, data }) => {
    const { erasure_id, contact_id, merged_ids, revision } = data;
    const ids = [contact_id, ...merged_ids];
    for (const id of ids) await contactables.put(tx, account_id, id, revision, null);
    const rows = await recipients.erase(tx, account_id, ids);
    const removed = {
      contactables: ids.length,
      recipients: rows.length,
      engagements: await engagements.erase(tx, account_id, rows),
      events: await copies.erase(account_id, ids),
    };
    await outbox.add(tx, CampaignsContactErased, account_id, { erasure_id, contact_id, removed, at: new Date().toISOString() });
  });
