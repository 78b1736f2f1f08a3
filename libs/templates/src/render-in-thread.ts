import { compiledOnce } from './compiled-once.ts';
import { computingTimer } from './computing-timer.ts';
import { missingFields, usedFields } from './fields.ts';
import { type MessageTemplates, type RenderedMessage, TemplateError } from './message.ts';
import type { RenderLimits } from './render-limits.ts';
import { type MessageScope, readsOf, renderMessage } from './render-message.ts';

export type RenderTask = {
  templates: MessageTemplates;
  scopes: readonly MessageScope[];
  limits?: RenderLimits | undefined;
  /** Return only missing fields and problems; the texts stay in the thread. */
  textless?: boolean;
  /** See `RenderOptions`. */
  unsubscribe?: boolean;
};

/** CPU time after which the remaining scopes wait for the account's next turn. */
const maxTaskMs = 250;

/** Renders for these scopes in order; only for the first ones when the time for one task is used up. */
export default function renderInThread({ templates, scopes, textless = false, ...options }: RenderTask): RenderedMessage[] {
  const isSpent = computingTimer(maxTaskMs);
  const rendered: RenderedMessage[] = [];
  for (const scope of scopes) {
    const message = renderOne(templates, scope, options);
    rendered.push(textless ? { ...message, ...noTexts } : message);
    if (isSpent()) break;
  }
  return rendered;
}

const noTexts = { subject: null, preview_text: null, html: null, text: null };

function renderOne(templates: MessageTemplates, scope: MessageScope, options: Pick<RenderTask, 'limits' | 'unsubscribe'>): RenderedMessage {
  let read: Pick<RenderedMessage, 'fields' | 'missing_fields'> = { fields: [], missing_fields: [] };
  try {
    const message = compiledOnce(templates);
    const reads = readsOf(message);
    read = { fields: usedFields(reads), missing_fields: missingFields(reads, scope) };
    return { ...renderMessage(message, scope, options), ...read, problems: [] };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { ...noTexts, ...read, problems: [error.problem] };
  }
}
