import { z } from 'zod';
import { AccountStatus, accountView, newAccount } from '../accounts/account.ts';
import { Plan } from '../accounts/plans.ts';
import { readArguments } from './arguments.ts';
import { type CommandParts, refuseArguments, runCommand } from './command.ts';
import { changeAccount } from './find-account.ts';

const plans = Plan.options.join('|');
const usage = `npm run -s account -- list
npm run -s account -- create --name NAME --plan ${plans} [--daily-requests N]
npm run -s account -- set --account NAME|ID [--plan ${plans}] [--status ${AccountStatus.options.join('|')}] [--daily-requests N]
--daily-requests is Enterprise's own figure; without one Enterprise has no daily limit.`;

const dailyRequests = z.coerce.number('expected a number').int().min(1).max(1_000_000_000).optional();

const Create = z
  .object({ name: z.string().trim().min(1).max(100), plan: Plan, 'daily-requests': dailyRequests })
  .refine(({ plan, 'daily-requests': daily }) => daily === undefined || plan === 'enterprise', {
    path: ['daily-requests'],
    message: 'only enterprise has a figure of its own',
  })
  .refine(({ name }) => !name.startsWith('account_'), { path: ['name'], message: 'a name does not look like an id' });

const Change = z
  .object({
    account: z.string().min(1),
    plan: Plan.optional(),
    status: AccountStatus.optional(),
    'daily-requests': dailyRequests,
  })
  .refine(({ plan, status, 'daily-requests': daily }) => plan ?? status ?? daily, {
    path: ['plan'],
    message: 'say what to change: --plan, --status or --daily-requests',
  });

async function list({ stores }: CommandParts) {
  return JSON.stringify((await stores.accounts.list()).map(accountView), null, 2);
}

function create(args: readonly string[]) {
  const { name, plan, 'daily-requests': daily } = readArguments(['name', 'plan', 'daily-requests'], Create, usage, args);
  return async ({ stores }: CommandParts) => {
    const wanted = newAccount({ name, plan, daily_requests: daily ?? null });
    const account = await stores.accounts.ensure(wanted);
    if (account.id !== wanted.id) throw new Error(`There is an account ${name} already: ${account.id}, on ${account.plan}.`);
    return JSON.stringify(accountView(account), null, 2);
  };
}

function set(args: readonly string[]) {
  const names = ['account', 'plan', 'status', 'daily-requests'];
  const { account: named, plan, status, 'daily-requests': daily } = readArguments(names, Change, usage, args);
  return async (command: CommandParts) => {
    const account = await command.stores.accounts.findByIdOrName(named);
    if (!account) throw new Error(`There is no account ${named}; \`npm run account -- list\` shows them.`);
    if (daily !== undefined && (plan ?? account.plan) !== 'enterprise') throw new Error('Only enterprise has a figure of its own.');
    const changed = await changeAccount(command, account, {
      ...(plan && { plan }),
      ...(status && { status }),
      ...(daily !== undefined && { daily_requests: daily }),
    });
    return JSON.stringify(accountView(changed), null, 2);
  };
}

const [verb, ...args] = process.argv.slice(2);
if (verb === 'list') await runCommand(list);
else if (verb === 'create') await runCommand(create(args));
else if (verb === 'set') await runCommand(set(args));
else refuseArguments([verb === undefined ? 'say list, create or set' : `${verb} is none of list, create, set`], usage);
