import { type Block, isFile } from './page-blocks.ts';

/** Commands of a reader, and the blocks that show what they print. */
export type Step = { commands: string; shown: Block[]; line: number };

/** What a reader does with a page: the files to save, and the steps. */
type Steps = { files: Map<string, string>; steps: Step[] };

/** How a page says under which name the blocks of a language are saved, one below the other, and how they are run. */
const commands: Record<string, RegExp> = { ts: /^node (\S+\.ts)$/m, python: /^python3 (\S+\.py)$/m };

/** A block that is neither run nor shown below one that is must say why, or its mistakes would stay. */
export function stepsOf(blocks: readonly Block[]): Steps {
  const files = new Map<string, string>();
  const steps: Step[] = [];
  const shell = blocks.flatMap(({ language, content }) => (language === 'sh' ? [content] : [])).join('');
  for (const block of blocks) {
    const { language, content, line } = block;
    const program = commands[language]?.exec(shell)?.[1];
    if (isFile(block)) files.set(block.title, content);
    else if (program !== undefined) files.set(program, `${files.get(program) ?? ''}${content}\n`);
    else if (language === 'sh') steps.push({ commands: content, shown: [], line });
    else if (steps.length > 0 && ['json', 'text'].includes(language)) steps.at(-1)?.shown.push(block);
    else throw new Error(`line ${line}: nobody runs this block (${language || 'no language'}). Say why: <!-- not run: … --> above it.`);
  }
  return { files, steps };
}
