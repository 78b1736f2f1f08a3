import type { Step } from '../workflows/step.ts';
import type { Effect, Message } from './run.ts';

/** The effect that a step requests under this key; empty for steps that only wait or end. */
export function effectOf(step: Step, key: string): Effect[] {
  switch (step.type) {
    case 'add_tag':
    case 'remove_tag':
      return [{ type: 'contact', key, change: { type: step.type, tag: step.tag } }];
    case 'update_contact':
      return [{ type: 'contact', key, change: { type: 'update_contact', members: step.set } }];
    case 'send':
      return [{ type: 'send', key, message: messageOf(step) }];
    case 'branch':
      return [{ type: 'ask', key, rules: step.branches.map(({ when }) => when) }];
    case 'webhook':
      return [{ type: 'webhook', key, call: { url: step.url, method: step.method, headers: step.headers, body: step.body } }];
    default:
      return [];
  }
}

/** The unrendered message of a step. */
export const messageOf = (step: Step & { type: 'send' }): Message => ({
  subject: step.subject,
  preview_text: step.preview_text ?? null,
  from: { email: step.from.email, name: step.from.name ?? null },
  reply_to: step.reply_to ?? null,
  html: step.html,
  text: step.text ?? null,
  track: { opens: step.track?.opens ?? true, clicks: step.track?.clicks ?? true },
});
