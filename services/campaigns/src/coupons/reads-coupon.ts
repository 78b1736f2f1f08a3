import type { MessageTemplates } from '@mp/templates/message';

/** The fields that hold templates. */
const parts: readonly (keyof MessageTemplates)[] = ['subject', 'preview_text', 'html', 'text'];

/** A filter for documents with a template that reads the coupon; `within` are the paths of their emails. */
export const readsCoupon = (name: string, within: readonly string[] = ['']) => {
  const read = new RegExp(`coupon\\s*(?:\\.\\s*${name}(?![\\w-])|\\[\\s*["']${name}["'])`);
  return { $or: within.flatMap((path) => parts.map((part) => ({ [`${path}${part}`]: read }))) };
};
