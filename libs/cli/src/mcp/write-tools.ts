import type { MarketingPlatform } from '@marketing-platform/sdk';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';
import { named } from './results.ts';
import { addTool, JsonObject } from './tool.ts';

/** Tools that create something that recipients do not see: a draft, a segment. */
export function addWriteTools(server: McpServer, mp: MarketingPlatform): void {
  addTool(server, 'draft_campaign', {
    ...{
      title: 'Draft a campaign',
      effect: 'writes',
      description: 'Creates a draft. Nothing is sent. `subject` and `html` are Liquid templates over `contact`.',
    },
    input: {
      name: z.string().min(1).max(200),
      subject: z.string().min(1).max(500),
      from: z.object({ email: z.string(), name: z.string().optional() }).describe('The sender.'),
      html: z.string().min(1).max(400_000),
      include: z.array(z.string()).min(1).describe('IDs of the segments to send to.'),
      exclude: z.array(z.string()).default([]).describe('IDs of the segments to leave out.'),
    },
    output: named,
    call: ({ include, exclude, ...campaign }) =>
      mp.request({ method: 'POST', path: '/v2/campaigns', isWrite: true, body: { ...campaign, audience: { include, exclude } } }),
  });
  addTool(server, 'create_segment', {
    ...{ title: 'Create a segment', effect: 'writes', description: 'Creates a segment from a rule; preview it first.' },
    input: { name: z.string().min(1).max(200), rule: JsonObject.describe('The rule of its members.') },
    output: named,
    call: ({ name, rule }) => mp.request({ method: 'POST', path: '/v2/segments', isWrite: true, body: { name, definition: rule } }),
  });
}

/** The tool that sends, which never does so without a confirmation by the user in the client's own dialog. */
export function addSendTool(server: McpServer, mp: MarketingPlatform): void {
  addTool(server, 'send_campaign', {
    ...{ title: 'Send a campaign', effect: 'sends', description: 'Sends a draft to its audience, after the user has confirmed it.' },
    input: { campaign_id: z.string().describe('The ID of a draft, campaign_….') },
    output: named,
    call: async ({ campaign_id }) => {
      if (!server.server.getClientCapabilities()?.elicitation)
        throw new UsageError(
          'Not sent: this client cannot ask the user for confirmation (elicitation). Send it in the dashboard, or with "mp campaigns send".',
        );
      const [campaign, { would_send }] = await Promise.all([mp.campaigns.get(campaign_id), mp.campaigns.dryRun(campaign_id)]);
      const { action, content } = await server.server.elicitInput({
        message: `Send the campaign "${campaign.name}" (subject: "${campaign.subject}") from ${campaign.from.email} to ${would_send} contacts? This cannot be undone.`,
        requestedSchema: {
          type: 'object',
          properties: { send: { type: 'boolean', title: `Send to ${would_send} contacts`, default: false } },
          required: ['send'],
        },
      });
      if (action !== 'accept' || content?.send !== true) throw new UsageError('Not sent: the user did not confirm it.');
      // What the user has confirmed is what is sent: a change in between is a 412.
      return mp.campaigns.send(campaign_id, {}, { ifMatch: `"${campaign.revision}"` });
    },
  });
}
