import { CampaignApprovalChanged, CampaignApprovalSettingChanged } from '@mp/contracts/events/campaigns';
import { ContactsAudited } from '@mp/contracts/events/contacts';
import { LeadpulseSettingsChanged } from '@mp/contracts/events/leadpulse';
import {
  NotifyEffectRequested,
  WebhookDisabled,
  WorkflowApprovalChanged,
  WorkflowApprovalSettingChanged,
} from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createConsumer } from '@mp/service-kit/consume';
import type { Parts } from '@mp/service-kit/service-parts';
import { onContactsAudited } from './settings/audit/on-contacts-audited.ts';
import { onSettingsChanged } from './settings/audit/on-settings-changed.ts';
import { onAccountErased } from './settings/deletions/on-account-erased.ts';
import { onApprovalChanged, subjects } from './settings/notifications/on-approval-changed.ts';
import { onNotifyRequested } from './settings/notifications/on-notify-requested.ts';
import type { Stores } from './settings/stores.ts';
import type { Mailer } from './settings/users/mailer.ts';
import { onWebhookDisabled } from './settings/webhooks/on-webhook-disabled.ts';

type Wiring = { stores: Stores; mailer: Mailer | undefined; publicUrl: string; now: () => number };

export const createConsumers = (parts: Parts, { stores, mailer, publicUrl, now }: Wiring) => [
  createConsumer(parts, {
    name: 'gateway-webhooks',
    stream: streams.workflows,
    filter: WebhookDisabled.subject,
    handlers: [onWebhookDisabled({ users: stores.users, mailer, publicUrl })],
  }),
  createConsumer(parts, {
    name: 'gateway-audited-contacts',
    stream: streams.contacts,
    filter: ContactsAudited.subject,
    handlers: [onContactsAudited(stores.auditLog)],
  }),
  createConsumer(parts, {
    name: 'gateway-leadpulse-settings',
    stream: streams.leadpulse,
    filter: LeadpulseSettingsChanged.subject,
    handlers: [onSettingsChanged(LeadpulseSettingsChanged, 'leadpulse_settings.changed', stores.auditLog)],
  }),
  createConsumer(parts, {
    name: 'gateway-campaign-settings',
    stream: streams.campaigns,
    filter: CampaignApprovalSettingChanged.subject,
    handlers: [onSettingsChanged(CampaignApprovalSettingChanged, 'campaign_settings.changed', stores.auditLog)],
  }),
  createConsumer(parts, {
    name: 'gateway-workflow-settings',
    stream: streams.workflows,
    filter: WorkflowApprovalSettingChanged.subject,
    handlers: [onSettingsChanged(WorkflowApprovalSettingChanged, 'workflow_settings.changed', stores.auditLog)],
  }),
  // In MAINTENANCE mode no email is sent, so the notifications wait.
  ...(parts.maintenance ? [] : createNotificationConsumers(parts, { stores, mailer, publicUrl, now })),
  ...onAccountErased(parts, stores.accountDeletions),
];

function createNotificationConsumers(parts: Parts, { stores, mailer, publicUrl, now }: Wiring) {
  const { users, notifications } = stores;
  const toApprovers = { ...stores, mailer, publicUrl };
  return [
    createConsumer(parts, {
      name: 'gateway-notifications',
      stream: streams.workflows,
      filter: NotifyEffectRequested.subject,
      handlers: [onNotifyRequested({ users, notifications, outbox: parts.outbox, mailer, publicUrl, now })],
    }),
    createConsumer(parts, {
      name: 'gateway-campaign-approvals',
      stream: streams.campaigns,
      filter: CampaignApprovalChanged.subject,
      handlers: [onApprovalChanged(CampaignApprovalChanged, subjects.campaign, toApprovers)],
    }),
    createConsumer(parts, {
      name: 'gateway-workflow-approvals',
      stream: streams.workflows,
      filter: WorkflowApprovalChanged.subject,
      handlers: [onApprovalChanged(WorkflowApprovalChanged, subjects.workflow, toApprovers)],
    }),
  ];
}
