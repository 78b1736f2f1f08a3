import type { MessageTemplates } from './message.ts';
import { type CompiledMessage, compileMessage } from './render-message.ts';

const maxKept = 20;
const kept = new Map<string, CompiledMessage>();

/** Compiles a message, with a small cache per thread. Throws TemplateError. */
export function compiledOnce(templates: MessageTemplates): CompiledMessage {
  const key = JSON.stringify([templates.subject, templates.preview_text, templates.html, templates.text]);
  const message = kept.get(key) ?? compileMessage(templates);
  kept.delete(key);
  kept.set(key, message);
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break;
    kept.delete(oldest);
  }
  return message;
}
