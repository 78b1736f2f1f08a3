import { z } from 'zod';
import { accountId, templateId } from '../ids.ts';
import { defineRequest } from '../request.ts';

/** Bounds the reply. */
const maxCoupons = 1_000;

export const CampaignCoupons = defineRequest({
  name: 'campaigns.coupons',
  version: 1,
  meaning: 'The names of the coupons of an account, which emails read as `coupon.<name>`.',
  request: z.object({ account_id: accountId }),
  reply: z.object({ names: z.array(z.string()).max(maxCoupons) }),
});

export const CampaignTemplate = defineRequest({
  name: 'campaigns.template',
  version: 1,
  meaning: 'The current content of a template; null if the account has none with this ID. `content` is null if it is larger than a reply.',
  request: z.object({ account_id: accountId, template_id: templateId }),
  reply: z.object({
    template: z
      .object({
        version: z.number().int(),
        content: z
          .object({ subject: z.string().nullable(), preview_text: z.string().nullable(), html: z.string(), text: z.string().nullable() })
          .nullable(),
      })
      .nullable(),
  }),
});
