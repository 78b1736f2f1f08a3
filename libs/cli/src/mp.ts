#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeError, exitCodeFor } from './exit-codes.ts';
import { createProgram } from './program.ts';

// The reader of a pipe can end early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has written its own message.
  if (!(error instanceof CommanderError)) process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = exitCodeFor(error);
}
