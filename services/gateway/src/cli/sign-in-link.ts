import { readEnv } from '@mp/service-kit/env';
import { gatewayEnv, publicUrl } from '../env.ts';
import { signInUrl } from '../users/sign-in-links-store.ts';
import { newOwner } from '../users/user.ts';
import { explain, runCommand } from './command.ts';
import { findAccount } from './find-account.ts';

const env = readEnv({ PUBLIC_URL: gatewayEnv.PUBLIC_URL, PORT: gatewayEnv.PORT });

await runCommand(async (command) => {
  const account = await findAccount(command, {});
  const owner = await command.stores.users.ensureOwner(newOwner(account.id));
  const token = await command.stores.signInLinks.make(owner);
  explain('Opens the dashboard once, within 24 hours:');
  return signInUrl(publicUrl(env), token);
});
