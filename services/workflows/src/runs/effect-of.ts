import { stateOf } from '../workflows/occurrence.ts';
import type { Step } from '../workflows/step.ts';
import type { Effect, Message, Waiting } from './run.ts';

/** What a step requests under this key; empty for steps that only wait or end. */
export function effectOf(step: Step, key: string, waiting: Waiting | null = null): Effect[] {
  if (waiting?.for === 'answer' && step.type !== 'branch' && step.type !== 'wait_until') return [{ type: 'look_up', key }];
  switch (step.type) {
    case 'add_tag':
    case 'remove_tag':
      return [{ type: 'contact', key, change: { type: step.type, tag: step.tag } }];
    case 'update_contact':
      return [
        { type: 'contact', key, change: { type: 'update_contact', members: (waiting?.for === 'effect' && waiting.set) || step.set } },
      ];
    case 'send':
      return [{ type: 'send', key, message: messageOf(step) }];
    case 'branch':
      return [{ type: 'ask', key, rules: step.branches.map(({ when }) => when) }];
    case 'wait_until':
      return waiting?.for === 'answer' ? [{ type: 'ask', key, rules: rulesOf(step).map(({ rule }) => rule), fresh: true }] : [];
    case 'webhook':
      return [{ type: 'webhook', key, call: { url: step.url, method: step.method, headers: step.headers, body: step.body } }];
    default:
      return [];
  }
}

/** What a `wait_until` step waits for that may be so already, with its rule. */
export const rulesOf = ({ any }: Step & { type: 'wait_until' }) =>
  any.flatMap((occurrence) => {
    const rule = stateOf(occurrence);
    return rule ? [{ occurrence, rule }] : [];
  });

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
