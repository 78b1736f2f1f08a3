import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * Parses the options and positional arguments of a script. `--help` prints the usage and exits; an unknown option exits
 * with 1.
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

/** Prints the problem and the usage, and exits with 1. */
export function refuse(fault: string, usage: string): never {
  process.stderr.write(`${fault}\n\n${usage}\n`);
  process.exit(1);
}
