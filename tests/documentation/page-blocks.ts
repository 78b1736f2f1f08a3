import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A block of code of a page. `tab`: its title in a group of tabs, of which a reader uses one. */
export type Block = { language: string; title: string; tab: string | undefined; content: string; line: number };

/** Marks the next block as one that no test can run, with the reason. It is not shown. */
const notRun = /^<!-- not run: \S.* -->$/;

/** The blocks of a page or, with a heading, of one section of it, without those that cannot be run. */
export function blocksOf(page: string, heading?: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks: Block[] = [];
  let section = '';
  let inGroup = false;
  let open: (Block & { fence: string; runs: boolean }) | undefined;
  let last = '';
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(```+)(\w*)(?: \[(.+?)\])?/.exec(line);
    if (open !== undefined) {
      if (line.trim() !== open.fence) open.content += `${line}\n`;
      else {
        const { fence: _, runs, ...block } = open;
        if (runs && (heading === undefined || section === heading)) blocks.push(block);
        open = undefined;
      }
    } else if (fence) {
      const [, ticks = '', language = '', title = ''] = fence;
      open = { language, title, tab: inGroup ? title : undefined, content: '', line: index + 1, fence: ticks, runs: !notRun.test(last) };
    } else if (line.startsWith('## ')) section = line.slice(3);
    else if (line.startsWith('::: code-group')) inGroup = true;
    else if (line.trim() === ':::') inGroup = false;
    if (line.trim() !== '') last = line.trim();
  }
  return blocks;
}

/** A name such as `receiver.mjs`: the reader saves the block under it. */
export const isFile = ({ title }: Block) => /^[\w.-]+\.\w+$/.test(title);

/** The ways through a page: one for each tab, or one if it has none. The tab of a file is its language. */
export function waysThrough(blocks: readonly Block[]): string[] {
  const tabs = [...new Set(blocks.flatMap((block) => (block.tab !== undefined && !isFile(block) ? [block.tab] : [])))];
  return tabs.length === 0 ? [''] : tabs;
}

/** The blocks that a reader who chooses this tab uses: of a group without it, the first. Files are always saved. */
export function blocksFor(way: string, blocks: readonly Block[]): Block[] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const previous = groups.at(-1)?.at(-1);
    const joins = block.tab !== undefined && previous?.tab !== undefined && !groups.at(-1)?.some(({ tab }) => tab === block.tab);
    if (joins) groups.at(-1)?.push(block);
    else groups.push([block]);
  }
  return groups.flatMap((group) => {
    if (group.every(isFile)) return group;
    const chosen = group.find(({ tab }) => tab === way) ?? group[0];
    return chosen ? [chosen] : [];
  });
}
