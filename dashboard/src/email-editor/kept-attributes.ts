import type { Attributes } from '@tiptap/core';

/** Texts and numbers of a block that survive copying, as `data-…`. */
export const keptAttributes = (defaults: Record<string, string | number>): Attributes =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, usual]) => [
      name,
      {
        default: usual,
        parseHTML: (element) => {
          const kept = element.getAttribute(`data-${name}`);
          if (kept === null) return usual;
          return typeof usual === 'number' ? Number(kept) : kept;
        },
        renderHTML: (attrs) => ({ [`data-${name}`]: String(attrs[name]) }),
      },
    ]),
  );
