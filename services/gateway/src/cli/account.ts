import { Plan } from '@mp/contracts/plan';
import { Name } from '@mp/contracts/text';
import { isId } from '@mp/ids';
import { z } from 'zod';
import { type AccountRow, AccountStatus, accountView, newAccount, SingleSignOn } from '../settings/accounts/account.ts';
import { deletionView } from '../settings/deletions/account-deletion.ts';
import { cancelDeletion, scheduleDeletion } from '../settings/deletions/schedule-deletion.ts';
import { durationMs, readArguments } from './arguments.ts';
import { type CommandParts, offerHelp, refuseArguments, runCommand } from './command.ts';
import { changeAccount, existingAccount } from './find-account.ts';

const plans = Plan.options.join('|');
const usage = `npm run -s account -- list
npm run -s account -- create --name NAME --plan ${plans} [--daily-requests N] [--requests-per-second N]
npm run -s account -- delete --account NAME|ID [--grace P30D]
npm run -s account -- cancel-deletion --account NAME|ID
npm run -s account -- deletions
npm run -s account -- set --account NAME|ID [--plan ${plans}] [--status ${AccountStatus.options.join('|')}] [--daily-requests N] [--requests-per-second N]
  [--single-sign-on ${SingleSignOn.options.join('|')}]
--daily-requests and --requests-per-second set the limits of an Enterprise account, which has no daily quota by default.
--single-sign-on optional lets all users sign in with a password again, such as after the loss of the identity provider.
delete suspends the account, and erases its data in every service when the grace period is over; default P30D. deletions shows
the progress and the receipts.`;

const dailyRequests = z.coerce.number('expected a number').int().min(1).max(1_000_000_000).optional();

const perSecond = z.coerce.number('expected a number').int().min(1).max(100_000).optional();

const Create = z
  .object({ name: Name(100), plan: Plan, 'daily-requests': dailyRequests, 'requests-per-second': perSecond })
  .refine(({ plan, 'daily-requests': daily, 'requests-per-second': second }) => plan === 'enterprise' || (daily ?? second) === undefined, {
    path: ['plan'],
    message: 'only enterprise accounts can have their own limits',
  })
  .refine(({ name }) => !name.startsWith('account_'), { path: ['name'], message: 'a name must not start with account_' });

const Change = z
  .object({
    account: z.string().min(1),
    plan: Plan.optional(),
    status: AccountStatus.optional(),
    'daily-requests': dailyRequests,
    'requests-per-second': perSecond,
    'single-sign-on': SingleSignOn.optional(),
  })
  .refine(({ account: _, ...change }) => Object.values(change).some((value) => value !== undefined), {
    path: ['plan'],
    message: 'give at least one change: --plan, --status, --daily-requests, --requests-per-second or --single-sign-on',
  });

const Named = z.object({ account: z.string().min(1) });

const Delete = Named.extend({
  grace: z
    .string()
    .default('P30D')
    .transform((text, context) => {
      const ms = durationMs(text);
      if (ms !== undefined) return ms;
      context.addIssue({ code: 'custom', message: 'expected a duration in weeks, days, hours or minutes, such as P30D' });
      return z.NEVER;
    }),
});

/** The account with both names: `name` is for commands; `display_name` is set by its users. */
const shown = (account: AccountRow) => ({ ...accountView(account), name: account.name, display_name: account.display_name });

async function list({ stores }: CommandParts) {
  return JSON.stringify((await stores.accounts.list()).map(shown), null, 2);
}

function create(args: readonly string[]) {
  const names = ['name', 'plan', 'daily-requests', 'requests-per-second'];
  const { name, plan, 'daily-requests': daily, 'requests-per-second': second } = readArguments(names, Create, usage, args);
  return async ({ stores }: CommandParts) => {
    const wanted = newAccount({ name, plan, daily_requests: daily ?? null, requests_per_second: second ?? null });
    const account = await stores.accounts.ensure(wanted);
    if (account.id !== wanted.id) throw new Error(`An account named ${name} already exists: ${account.id}, on the plan ${account.plan}.`);
    return JSON.stringify(shown(account), null, 2);
  };
}

function set(args: readonly string[]) {
  const names = ['account', 'plan', 'status', 'daily-requests', 'requests-per-second', 'single-sign-on'];
  const { account: named, plan, status, ...figures } = readArguments(names, Change, usage, args);
  const { 'daily-requests': daily, 'requests-per-second': second, 'single-sign-on': single_sign_on } = figures;
  return async (command: CommandParts) => {
    const account = await existingAccount(command, named);
    if (status === 'active' && (await command.stores.accountDeletions.find(account.id)))
      throw new Error(
        `The account ${named} is being deleted; cancel that first: \`npm run account -- cancel-deletion --account ${named}\`.`,
      );
    if ((daily ?? second) !== undefined && (plan ?? account.plan) !== 'enterprise')
      throw new Error('Only enterprise accounts can have their own limits.');
    const changed = await changeAccount(command, account, {
      ...(plan && { plan }),
      ...(status && { status }),
      ...(daily !== undefined && { daily_requests: daily }),
      ...(second !== undefined && { requests_per_second: second }),
      ...(single_sign_on && { single_sign_on }),
    });
    return JSON.stringify(shown(changed), null, 2);
  };
}

/** Suspends the account and schedules its erasure; repeated, it shows the deletion as it is. */
function remove(args: readonly string[]) {
  const { account: named, grace } = readArguments(['account', 'grace'], Delete, usage, args);
  return async (command: CommandParts) => {
    const { parts, stores, origin } = command;
    const done = isId('account', named) ? await stores.accountDeletions.find(named) : undefined;
    if (done) return JSON.stringify(deletionView(done), null, 2);
    const account = await existingAccount(command, named);
    await parts.mongo.transaction(origin, (tx) => scheduleDeletion(tx, stores, account, new Date(Date.now() + grace)));
    const deletion = await stores.accountDeletions.find(account.id);
    return JSON.stringify(deletion && deletionView(deletion), null, 2);
  };
}

function cancel(args: readonly string[]) {
  const { account: named } = readArguments(['account'], Named, usage, args);
  return async (command: CommandParts) => {
    const { parts, stores, origin } = command;
    const account = await existingAccount(command, named);
    if (!(await parts.mongo.transaction(origin, (tx) => cancelDeletion(tx, stores, account))))
      throw new Error(`The account ${named} is not in the grace period of a deletion; \`npm run account -- deletions\` shows all.`);
    return JSON.stringify(shown(await existingAccount(command, account.id)), null, 2);
  };
}

async function deletions({ stores }: CommandParts) {
  const names = new Map((await stores.accounts.list()).map(({ id, name }) => [id, name]));
  const all = await stores.accountDeletions.list();
  return JSON.stringify(
    all.map((deletion) => ({ ...deletionView(deletion), name: names.get(deletion.accountId) ?? null })),
    null,
    2,
  );
}

const verbs = 'list, create, set, delete, cancel-deletion or deletions';
const [verb, ...args] = process.argv.slice(2);
offerHelp(usage);
if (verb === 'list') await runCommand(list);
else if (verb === 'create') await runCommand(create(args));
else if (verb === 'set') await runCommand(set(args));
else if (verb === 'delete') await runCommand(remove(args));
else if (verb === 'cancel-deletion') await runCommand(cancel(args));
else if (verb === 'deletions') await runCommand(deletions);
else refuseArguments([verb === undefined ? `expected ${verbs}` : `${verb}: expected ${verbs}`], usage);
