import { Permission, Scope, scopes } from '@mp/contracts/permissions';
import { Plan } from '@mp/contracts/plan';
import { z } from 'zod';
import { KeyName } from '../settings/api-keys/api-key-body.ts';
import { newApiKey } from '../settings/api-keys/new-api-key.ts';
import { durationMs, readArguments } from './arguments.ts';
import { explain, runCommand } from './command.ts';
import { findAccount } from './find-account.ts';

const usage = `npm run -s key -- --name "CI" --permission ${Permission.options.join('|')}
  [--account NAME|ID]    the account of the key; default: local
  [--plan ${Plan.options.join('|')}]
                         with --account: sets its plan, and creates the account if the name is unknown;
                         alone: uses the account local-PLAN
  [--scopes a,b]         narrow the permission: ${scopes.join(', ')}
  [--expires-in P30D]    days (P30D), weeks (P2W) or hours (PT12H)
Prints the key on standard output. It is not stored and cannot be shown again.`;

const Arguments = z.object({
  name: KeyName,
  permission: Permission,
  account: z.string().min(1).max(100).optional(),
  plan: Plan.optional(),
  scopes: z
    .string()
    .transform((text) => text.split(',').map((scope) => scope.trim()))
    .pipe(z.array(Scope).min(1))
    .optional(),
  'expires-in': z.string().transform(durationMs).pipe(z.number('expected a duration such as P30D or PT12H').positive()).optional(),
});

const wanted = readArguments(['name', 'permission', 'account', 'plan', 'scopes', 'expires-in'], Arguments, usage);

await runCommand(async (command) => {
  const { parts, stores, origin } = command;
  const account = await findAccount(command, wanted, '`npm run key -- --account NAME --plan PLAN …` creates one');
  const now = new Date();
  const lifetime = wanted['expires-in'];
  const expires_at = lifetime === undefined ? null : new Date(now.getTime() + lifetime);
  const { name, permission, scopes } = wanted;
  const { text, key } = newApiKey(account.id, { name, permission, scopes, expires_at, created_by: null }, now);
  await parts.mongo.transaction(origin, async (tx) => {
    await stores.apiKeys.insert(tx, key);
    const details = { name, permission };
    await stores.auditLog.add(tx, { accountId: account.id, id: null }, { action: 'api_key.created', target_id: key.id, details });
  });
  const until = expires_at ? ` until ${expires_at.toISOString()}` : '';
  explain(`${permission} key "${name}" (${key.id}) for the account ${account.name} (${account.id}, ${account.plan})${until}.`);
  return text;
});
