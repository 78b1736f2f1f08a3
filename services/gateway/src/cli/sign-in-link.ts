import { readEnv } from '@mp/service-kit/env';
import { z } from 'zod';
import { gatewayEnv, publicUrl } from '../env.ts';
import { signInUrl } from '../settings/users/sign-in-links-store.ts';
import { newOwner } from '../settings/users/user.ts';
import { readArguments } from './arguments.ts';
import { explain, runCommand } from './command.ts';
import { findAccount } from './find-account.ts';

const usage = `npm run -s sign-in -- [--account NAME|ID]
Prints a link with which the account owner signs in to the dashboard. It works once, within 24 hours. Default account: local.`;

const wanted = readArguments(['account'], z.object({ account: z.string().min(1).max(100).optional() }), usage);

const env = readEnv({ PUBLIC_URL: gatewayEnv.PUBLIC_URL, PORT: gatewayEnv.PORT });

await runCommand(async (command) => {
  const account = await findAccount(command, wanted);
  const owner = await command.stores.users.ensureOwner(newOwner(account.id));
  const token = await command.stores.signInLinks.make(owner);
  explain('This link opens the dashboard once, within 24 hours:');
  return signInUrl(publicUrl(env), token);
});
