import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * The options of a script and what stands beside them. `--help` prints the usage and ends the process; what the script does
 * not know ends it with 1.
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(usage: string, options: Options, { positionals = false } = {}) {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals: positionals });
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Says what is wrong with the options, and how the script is used; ends the process with 1. */
export function refuse(fault: string, usage: string): never {
  process.stderr.write(`${fault}\n\n${usage}\n`);
  process.exit(1);
}
