import { createInterface } from 'node:readline/promises';

type Streams = { input: NodeJS.ReadableStream & { isTTY?: boolean }; output: NodeJS.WritableStream };

const terminal: Streams = { input: process.stdin, output: process.stderr };

/** Asks on a terminal, unless `--yes` was given; true where nobody can be asked. */
export async function confirmed(question: string | (() => Promise<string>), { yes }: { yes?: string | true }, streams = terminal) {
  const { input, output } = streams;
  if (!input.isTTY || yes) return true;
  const reader = createInterface({ input, output });
  try {
    const reply = await reader.question(`${typeof question === 'string' ? question : await question()} [y/N] `);
    return /^y(es)?$/i.test(reply.trim());
  } finally {
    reader.close();
  }
}
