import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

type Prompt = { title: string; description: string; input: Record<string, string>; text: string };

/** What people ask most, with the tools that answer it. `{name}` is what the user enters. */
const prompts: Readonly<Record<string, Prompt>> = {
  win_back: {
    title: 'Win customers back',
    description: 'Finds customers who have stopped ordering, and proposes a campaign to them.',
    input: { days: 'Days without an order, such as 60' },
    text: 'Which of our customers have ordered before, but not in the last {days} days? Write the rule, count them with `preview_segment`, and show me some of them. Then propose a subject and a short email to win them back. Create nothing before I agree.',
  },
  why_in_segment: {
    title: 'Explain a membership',
    description: 'Says why a contact is in a segment, or is not.',
    input: { email: 'The email address of the contact', segment: 'The name of the segment' },
    text: 'Is {email} in the segment "{segment}", and why? Find the two with `search_contacts` and `list_segments`, then use `explain_membership`. Name each condition with the value that decided it, and say what would have to change.',
  },
  check_campaign: {
    title: 'Check a campaign before it is sent',
    description: 'Says who would get a draft, who would not and why, and what to correct first.',
    input: { campaign: 'The name of the campaign' },
    text: 'Check the campaign "{campaign}" before I send it. Find it with `list_campaigns` and try it with `dry_run_campaign`. How many contacts would get it? Who would be left out, and for which reasons? Which warnings and missing fields should I correct first? Do not send it.',
  },
  campaign_results: {
    title: 'Explain the results of a campaign',
    description: 'Says how a campaign did, and what to try next.',
    input: { campaign: 'The name of the campaign' },
    text: 'How did the campaign "{campaign}" do? Find it with `list_campaigns` and read `campaign_analytics`. Give the rates with the numbers they are made of, leave out what scanners opened and clicked, say what is not certain yet, and propose one thing to try next.',
  },
};

export function addPrompts(server: McpServer): void {
  for (const [name, { title, description, input, text }] of Object.entries(prompts)) {
    const argsSchema = Object.fromEntries(
      Object.entries(input).map(([field, meaning]) => [field, z.string().min(1).max(320).describe(meaning)]),
    );
    server.registerPrompt(name, { title, description, argsSchema }, (given) => ({
      messages: [{ role: 'user', content: { type: 'text', text: text.replaceAll(/\{(\w+)\}/g, (_, field) => String(given[field])) } }],
    }));
  }
}
