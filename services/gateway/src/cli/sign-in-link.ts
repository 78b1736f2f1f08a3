import { readEnv } from '@mp/service-kit/env';
import { z } from 'zod';
import { gatewayEnv, publicUrl } from '../env.ts';
import { signInUrl } from '../users/sign-in-links-store.ts';
import { newOwner } from '../users/user.ts';
import { readArguments } from './arguments.ts';
import { explain, runCommand } from './command.ts';
import { findAccount } from './find-account.ts';

readArguments(
  [],
  z.object({}),
  'npm run -s sign-in\nPrints a link that opens the dashboard for the owner of the local account, once, within 24 hours.',
);

const env = readEnv({ PUBLIC_URL: gatewayEnv.PUBLIC_URL, PORT: gatewayEnv.PORT });

await runCommand(async (command) => {
  const account = await findAccount(command, {});
  const owner = await command.stores.users.ensureOwner(newOwner(account.id));
  const token = await command.stores.signInLinks.make(owner);
  explain('Opens the dashboard once, within 24 hours:');
  return signInUrl(publicUrl(env), token);
});
