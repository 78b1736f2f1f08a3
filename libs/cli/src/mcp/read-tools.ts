import type { MarketingPlatform } from '@marketing-platform/sdk';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import {
  campaignResults,
  contacts,
  contactWithTimeline,
  dryRun,
  formReport,
  membership,
  namedItems,
  preview,
  simulation,
  traffic,
} from './results.ts';
import { addTool, JsonObject, Limit } from './tool.ts';

const rule = JsonObject.describe(
  'A rule, such as {"all": [{"field": "address.city", "op": "eq", "value": "Berlin"}]}. The resource reference/segments.md has the language.',
);
const contactId = z.string().describe('The ID of a contact, contact_….');
const campaignId = z.string().describe('The ID of a campaign, campaign_….');
const days = {
  from: z.iso.date().optional().describe('The first day; 29 days ago by default.'),
  to: z.iso.date().optional().describe('The last day; today by default.'),
};

/** Tools that change nothing on the platform. */
export function addReadTools(server: McpServer, mp: MarketingPlatform): void {
  addTool(server, 'search_contacts', {
    ...{ title: 'Search contacts', effect: 'reads', description: 'Finds contacts by a rule, or by the start of an email address or name.' },
    input: {
      rule: rule.optional(),
      text: z.string().min(1).max(100).optional().describe('The start of an email address or full name.'),
      limit: Limit,
    },
    output: contacts,
    call: ({ rule, text, limit }) =>
      rule
        ? mp.request({ method: 'POST', path: '/v2/contacts/search', body: { rule, limit } })
        : mp.request({ method: 'GET', path: '/v2/contacts', query: { limit, q: text } }),
  });
  addTool(server, 'get_contact', {
    ...{
      title: 'Get a contact',
      effect: 'reads',
      description: 'A contact with its attributes, tags and consent, and its latest activities.',
    },
    input: { contact_id: contactId, limit: Limit },
    output: contactWithTimeline,
    call: async ({ contact_id, limit }) => {
      const [contact, timeline] = await Promise.all([mp.contacts.get(contact_id), mp.contacts.timeline(contact_id, { limit })]);
      return { contact, timeline: timeline.items };
    },
  });
  addTool(server, 'list_segments', {
    ...{ title: 'List segments', effect: 'reads', description: 'Segments with their rules and sizes.', input: { limit: Limit } },
    output: namedItems,
    call: async ({ limit }) => (await mp.segments.list({ limit })).items,
  });
  addTool(server, 'explain_membership', {
    ...{
      title: 'Explain membership',
      effect: 'reads',
      description: 'Why a contact is in a segment, or is not: every condition with the value it was evaluated against.',
    },
    input: { segment_id: z.string().describe('The ID of a segment, segment_….'), contact_id: contactId },
    output: membership,
    call: ({ segment_id, contact_id }) => mp.segments.explainMembership(segment_id, contact_id),
  });
  addTool(server, 'preview_segment', {
    ...{
      title: 'Preview a segment',
      effect: 'reads',
      description: 'Counts and samples the contacts that match a rule. Nothing is saved.',
      input: { rule },
    },
    output: preview,
    call: ({ rule }) => mp.request({ method: 'POST', path: '/v2/segments/preview', body: { definition: rule } }),
  });
  addTool(server, 'list_campaigns', {
    ...{ title: 'List campaigns', effect: 'reads', description: 'Campaigns with their status, newest first.', input: { limit: Limit } },
    output: namedItems,
    call: async ({ limit }) => (await mp.campaigns.list({ limit })).items,
  });
  addTool(server, 'dry_run_campaign', {
    ...{
      title: 'Dry run of a campaign',
      effect: 'reads',
      description: 'Counts the contacts that would be emailed, and gives the reasons for those that would not. Nothing is sent.',
    },
    input: { campaign_id: campaignId },
    output: dryRun,
    call: ({ campaign_id }) => mp.campaigns.dryRun(campaign_id),
  });
  addTool(server, 'campaign_analytics', {
    ...{
      title: 'Results of a campaign',
      effect: 'reads',
      description: 'Sent, delivered, opened, clicked, bounced and unsubscribed, with rates.',
      input: { campaign_id: campaignId },
    },
    output: campaignResults,
    call: ({ campaign_id }) => mp.campaigns.analytics(campaign_id),
  });
  addTool(server, 'traffic_analytics', {
    ...{ title: 'Traffic analytics', effect: 'reads', description: 'Visitors, sessions, page views and events of the website.' },
    input: {
      ...days,
      by: z
        .enum(['page', 'event', 'channel', 'source', 'referrer', 'utm_source', 'utm_campaign', 'country', 'device', 'browser'])
        .optional()
        .describe('A breakdown by this dimension.'),
    },
    output: traffic,
    call: (query) => mp.request({ method: 'GET', path: '/v2/leadpulse/analytics', query }),
  });
  addTool(server, 'list_forms', {
    ...{ title: 'List forms', effect: 'reads', description: 'Forms by which contacts sign up.', input: { limit: Limit } },
    output: namedItems,
    call: async ({ limit }) => (await mp.contacts.forms.list({ limit })).items,
  });
  addTool(server, 'form_report', {
    ...{
      title: 'Results of a form',
      effect: 'reads',
      description: 'Views, submissions and confirmations by day, page and source, with rates, and what the people have ordered since.',
    },
    input: { form_id: z.string().describe('The ID of a form, form_….'), ...days },
    output: formReport,
    call: ({ form_id, ...range }) =>
      mp.request({ method: 'GET', path: `/v2/contacts/forms/${encodeURIComponent(form_id)}/report`, query: range }),
  });
  addTool(server, 'list_workflows', {
    ...{ title: 'List workflows', effect: 'reads', description: 'Workflows with their status and trigger.', input: { limit: Limit } },
    output: namedItems,
    call: async ({ limit }) => (await mp.workflows.list({ limit })).items,
  });
  addTool(server, 'simulate_workflow', {
    ...{
      title: 'Simulate a workflow',
      effect: 'reads',
      description: 'The path a contact would take through a workflow, on a virtual clock. Nothing is sent or changed.',
    },
    input: {
      workflow_id: z.string().describe('The ID of a workflow, workflow_….'),
      contact_id: contactId.optional(),
      advance: z.string().max(50).optional().describe('How far the clock runs, as an ISO 8601 duration such as P3D.'),
    },
    output: simulation,
    call: ({ workflow_id, contact_id, advance }) =>
      mp.workflows.simulate(workflow_id, { ...(contact_id !== undefined && { contact_id }), ...(advance !== undefined && { advance }) }),
  });
}
