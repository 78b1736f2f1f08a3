import { sections } from '../../docs/.vitepress/sections.ts';
import { linkedFromRoot, type SitePage } from './site-pages.ts';

/** All but the operator manual, whose pages are long and of no use to a client. */
const wanted = ['Guides', 'Move in', 'Operate', 'Concepts', 'Reference'];

/** The guides as one text, in the order of the menu. The gateway serves it as a part of /llms-full.txt. */
export function guidesInOneFile(pages: readonly SitePage[]): string {
  const items = sections.filter(({ text }) => wanted.includes(text)).flatMap((section) => section.items);
  const texts = items.flatMap(({ link }) => pages.filter(({ path }) => `/${path.replace(/(?:index)?\.md$/, '')}` === link));
  return texts
    .map(({ text }) =>
      linkedFromRoot(text)
        .replaceAll(/^:::.*\n/gm, '')
        .trim(),
    )
    .join('\n\n');
}
