import { contextHeader, signContext } from '@mp/contracts/context';
import { Permission } from '@mp/contracts/permissions';
import { newId } from '@mp/ids';
import { z } from 'zod';
import { readArguments } from './arguments.ts';
import { explain, runCommand } from './command.ts';
import { findAccount } from './find-account.ts';

const usage = `npm run -s context -- [--account NAME|ID] [--permission ${Permission.options.join('|')}] [--method GET] [--path /v2/contacts]
Prints a header for calling a service directly, as the gateway does: curl -H "$(npm run -s context -- --path /v2/contacts)" …
The header is valid for one hour, only for this method and path (including the query).`;

const Arguments = z.object({
  account: z.string().min(1).optional(),
  permission: Permission.default('admin'),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']))
    .default('GET'),
  path: z.string().startsWith('/v2/').default('/v2/contacts'),
});

const hourMs = 60 * 60 * 1_000;
const { account: named, permission, method, path } = readArguments(['account', 'permission', 'method', 'path'], Arguments, usage);

await runCommand(async (command) => {
  const account = await findAccount(command, { account: named });
  const context = {
    account_id: account.id,
    principal_id: newId('key'),
    permission,
    scopes: null,
    request_id: newId('request'),
    expires_at: Date.now() + hourMs,
  };
  explain(`Valid for one hour for ${method} ${path}, with ${permission} permission in the account ${account.name} (${account.id}).`);
  return `${contextHeader}: ${signContext(command.parts.contextKeys, context, method, path)}`;
});
