import { createErasuresStore } from '@mp/erasures/erasures-store';
import { createApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Parts } from '@mp/service-kit/service-parts';
import { createContactablesStore } from './audience/contactables/contactables-store.ts';
import { createSuppressionsStore } from './audience/contactables/suppressions-store.ts';
import { createCampaignsQueue } from './campaigns/campaigns-queue.ts';
import { createCampaignsStore } from './campaigns/campaigns-store.ts';
import type { PublishAudience } from './campaigns/publish-audience.ts';
import { createAbTestsStore } from './campaigns/winner/ab-tests-store.ts';
import type { CampaignsConfig } from './config.ts';
import { createBrandsStore } from './content/brand/brands-store.ts';
import { createImagesStore } from './content/images/images-store.ts';
import { createTemplatesStore } from './content/templates/templates-store.ts';
import { createCouponsStore } from './coupons/coupons-store.ts';
import { createProvidersStore } from './delivery/providers/providers-store.ts';
import { createSendersStore } from './delivery/senders/senders-store.ts';
import { createDomainThrottles } from './delivery/sending/domain-throttles.ts';
import { createConversionsStore } from './ledger/conversions/conversions-store.ts';
import { createCountersStore } from './ledger/counters/counters-store.ts';
import { createEngagementsStore } from './ledger/engagements/engagements-store.ts';
import { createRecipientsQueue } from './ledger/recipients/recipients-queue.ts';
import { createRecipientsStore } from './ledger/recipients/recipients-store.ts';
import { createAttachmentsStore } from './messages/attachments-store.ts';
import { createContentsStore } from './messages/contents-store.ts';
import { createSettingsStore } from './settings/settings-store.ts';

export type Stores = ReturnType<typeof createStores>;

type Deps = Pick<Parts, 'mongo' | 'outbox' | 'cursors'> & { publishAudience: PublishAudience };
type Config = Pick<CampaignsConfig, 'LINK_KEYS' | 'PUBLIC_URL' | 'BOUNCE_DOMAIN' | 'SPF_INCLUDE'>;

/** Every store of the service. */
export function createStores({ mongo, outbox, cursors, publishAudience }: Deps, config: Config) {
  const { db } = mongo;
  const { LINK_KEYS: linkKeys, PUBLIC_URL: publicUrl, BOUNCE_DOMAIN: bounceDomain, SPF_INCLUDE: spfInclude } = config;
  const stores = {
    campaigns: createCampaignsStore(db, cursors, publishAudience, outbox),
    templates: createTemplatesStore(db, cursors),
    coupons: createCouponsStore(db, cursors),
    recipients: createRecipientsStore(db, cursors),
    contactables: createContactablesStore(db),
    suppressions: createSuppressionsStore(db),
    contents: createContentsStore(db),
    attachments: createAttachmentsStore(db),
    images: createImagesStore(db, cursors, { publicUrl }),
    providers: createProvidersStore(db, cursors, { linkKeys, publicUrl }),
    senders: createSendersStore(db, cursors, { linkKeys, setup: { bounceDomain, spfInclude } }),
    engagements: createEngagementsStore(db),
    settings: createSettingsStore(db),
    approvals: createApprovalsStore(db),
    throttles: createDomainThrottles(db),
    brands: createBrandsStore(db),
    conversions: createConversionsStore(db),
    counters: createCountersStore(mongo),
    erasures: createErasuresStore(db),
  };
  return {
    ...stores,
    // Further queries on the campaigns and recipients.
    campaignsQueue: createCampaignsQueue(db),
    queue: createRecipientsQueue(db),
    tests: createAbTestsStore(db),
    prepare: async () => {
      for (const store of Object.values(stores)) await store.prepare();
    },
  };
}
