import { ApiError } from '@mp/contracts/errors';
import { trustedId } from '@mp/ids';
import { createOnce } from '@mp/service-kit/once';
import type { Parts } from '@mp/service-kit/service-parts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import { type TemplateField, templateFields } from './campaign.ts';
import type { CampaignDocument } from './campaign-document.ts';
import { campaignsOf } from './campaigns-store.ts';

const atOnce = 200;

type Row = Pick<CampaignDocument, '_id' | 'account_id' | 'template_id' | 'created_at' | TemplateField>;

/**
 * Records which fields of their template earlier campaigns override. An earlier release copied them when the campaign was created:
 * a value that the template had then was taken from it, another was set.
 */
export function createRecordOverridesOnce(
  { mongo, logger }: Pick<Parts, 'mongo' | 'logger'>,
  templates: Pick<TemplatesStore, 'getVersionAsOf'>,
) {
  const campaigns = campaignsOf(mongo.db);

  async function record({ _id, account_id, template_id, created_at, ...campaign }: Row) {
    if (template_id === null) return;
    const then = await templates.getVersionAsOf(account_id, template_id, created_at).catch((error: unknown) => {
      // The template was made after the campaign, or has been deleted.
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    const overrides = templateFields.filter((field) => (campaign[field] || null) !== (then?.[field] ?? null));
    await campaigns.updateOne({ _id, account_id, overrides: { $exists: false } }, { $set: { overrides } });
  }

  return createOnce({ db: mongo.db, logger }, 'record overrides of campaigns', async (after) => {
    const rows = await campaigns
      .find({
        ...{ template_id: { $type: 'string' }, overrides: { $exists: false } },
        ...(after !== null && { _id: { $gt: trustedId<'campaign'>(after) } }),
      })
      .sort({ _id: 1 })
      .limit(atOnce)
      .project<Row>({ account_id: 1, template_id: 1, created_at: 1, subject: 1, preview_text: 1 })
      .toArray();
    for (const row of rows) await record(row);
    return rows.length < atOnce ? null : (rows.at(-1)?._id ?? null);
  });
}
