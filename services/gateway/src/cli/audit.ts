import { z } from 'zod';
import { readArguments } from './arguments.ts';
import { explain, runCommand } from './command.ts';
import { existingAccount } from './find-account.ts';

const usage = `npm run -s audit:verify -- [--account NAME|ID] [--expect HASH]
Reads the audit log of an account, or of all, and compares each entry with its hash. Exits with 1 if an entry was changed, removed or
inserted, or if the log no longer has the entry with the hash that an earlier run printed.`;

const problems = { changed: 'was changed after it was written', missing: 'is missing', inserted: 'was inserted' } as const;

const entryOf = (sequence: number | null) => (sequence === null ? 'an entry without a hash' : `entry ${sequence}`);

const wanted = readArguments(
  ['account', 'expect'],
  z
    .object({ account: z.string().min(1).optional(), expect: z.stringFormat('hash', /^[0-9a-f]{64}$/).optional() })
    .refine(({ account, expect }) => expect === undefined || account !== undefined, {
      path: ['account'],
      message: '--expect needs the account that had this hash',
    }),
  usage,
);

await runCommand(async (command) => {
  const { accounts, auditLog } = command.stores;
  const chosen = wanted.account === undefined ? await accounts.list() : [await existingAccount(command, wanted.account)];
  const lines: string[] = [];
  for (const { id, name } of chosen) {
    const { entries, head, broken } = await auditLog.verify(id);
    const isGone = wanted.expect !== undefined && !(await auditLog.has(id, wanted.expect));
    if (broken || isGone) process.exitCode = 1;
    if (broken) explain(`${name}: ${entryOf(broken.sequence)} ${problems[broken.problem]}.`);
    if (isGone) explain(`${name}: no entry has the hash ${wanted.expect}.`);
    if (!broken && !isGone) lines.push(`${name} ${id}: ${entries} entries are as they were written; ${head.sequence} ${head.hash ?? '-'}`);
  }
  return lines.length > 0 ? lines.join('\n') : undefined;
});
