import { CampaignTemplate } from '@mp/contracts/requests/campaigns';
import type { Broker } from '@mp/service-kit/broker';
import type { TemplatesStore } from './templates-store.ts';

/** NATS limits a message to 1 MiB. */
const maxReplyBytes = 768 * 1024;

/** The content of a template for the steps of workflows. */
export const replyWithTemplate =
  (broker: Broker, { templates }: { templates: TemplatesStore }) =>
  () =>
    broker.reply(CampaignTemplate, async ({ account_id, template_id }) => {
      const template = await templates.findOne(account_id, template_id);
      if (!template) return { template: null };
      const { version, subject, preview_text, html, text } = template;
      const content = { subject, preview_text, html, text };
      return { template: { version, content: Buffer.byteLength(JSON.stringify(content)) > maxReplyBytes ? null : content } };
    });
