import { convert } from 'html-to-text';

/** Derives the plain text of a message from its HTML. */
export const plainText = (html: string) =>
  convert(html, {
    wordwrap: 78,
    limits: { maxInputLength: 1_200_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
