import type { AccountId, TemplateId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Template } from '../content/templates/template.ts';
import type { CampaignSummary } from './campaign.ts';
import { isEditable } from './campaign-states.ts';

type Followed = Pick<Template, 'subject' | 'preview_text'>;
type Following = Pick<CampaignSummary, 'status' | 'template_id' | 'overrides' | 'subject' | 'preview_text'>;

/** A draft with the fields of its template that it does not override. */
export const withFieldsOf = <C extends Following>(draft: C, { subject, preview_text }: Followed): C => ({
  ...draft,
  ...(!draft.overrides.includes('subject') && { subject: subject ?? '' }),
  ...(!draft.overrides.includes('preview_text') && { preview_text }),
});

/** Campaigns as they are now: drafts have the current fields of their template as far as they do not override them. */
export function createFollowTemplates(db: Db) {
  const templates = db.collection<Followed & { _id: TemplateId; account_id: AccountId }>('templates');
  return async <C extends Following>(accountId: AccountId, campaigns: readonly C[], tx?: Transaction): Promise<C[]> => {
    const ids = campaigns.flatMap(({ status, template_id }) => (isEditable(status) && template_id !== null ? [template_id] : []));
    if (ids.length === 0) return [...campaigns];
    const found = await templates
      .find(
        { _id: { $in: ids }, account_id: accountId },
        { projection: { subject: 1, preview_text: 1 }, ...(tx && { session: tx.session }) },
      )
      .toArray();
    const byId = new Map(found.map((template) => [template._id, template]));
    return campaigns.map((campaign) => {
      const template = campaign.template_id !== null && isEditable(campaign.status) ? byId.get(campaign.template_id) : undefined;
      return template ? withFieldsOf(campaign, template) : campaign;
    });
  };
}
