import { readEnv } from '@mp/service-kit/env';
import { z } from 'zod';
import { gatewayEnv, mailFrom, publicUrl } from '../env.ts';
import { mustUseSingleSignOn } from '../settings/accounts/account.ts';
import { factorMail } from '../settings/second-factors/second-factor-mail-texts.ts';
import { createMailer } from '../settings/users/mailer.ts';
import { removeAllFactors } from '../settings/users/remove-all-factors.ts';
import { signInUrl } from '../settings/users/sign-in-links-store.ts';
import { SignInEmail, type UserRow, userView } from '../settings/users/user.ts';
import { readArguments } from './arguments.ts';
import { type CommandParts, explain, offerHelp, refuseArguments, runCommand } from './command.ts';
import { existingAccount } from './find-account.ts';

const usage = `npm run -s user -- list [--account NAME|ID]
npm run -s user -- reset --email ADDRESS [--account NAME|ID]
npm run -s user -- move --email ADDRESS --to ADDRESS [--account NAME|ID]
npm run -s user -- reset-second-factor --email ADDRESS [--account NAME|ID]
reset prints a link that works once, within an hour, to sign in and set a new password.
move changes the address that a user signs in with.
reset-second-factor removes the authenticator apps, passkeys and recovery codes of a user who has lost them, ends the user's sessions, and
emails the user if SMTP_URL is set. First make sure who asks for it. Default account: local.`;

const account = z.string().min(1).default('local');

const findUsers = async (command: CommandParts, named: string): Promise<UserRow[]> =>
  command.stores.users.all((await existingAccount(command, named)).id);

function list(args: readonly string[]) {
  const wanted = readArguments(['account'], z.object({ account }), usage, args);
  return async (command: CommandParts) => JSON.stringify((await findUsers(command, wanted.account)).map(userView), null, 2);
}

async function findUser(command: CommandParts, wanted: { email: string; account: string }): Promise<UserRow> {
  const user = (await findUsers(command, wanted.account)).find(({ email }) => email === wanted.email);
  if (!user) throw new Error(`No user in the account ${wanted.account} has the email address ${wanted.email}.`);
  return user;
}

function move(args: readonly string[]) {
  const wanted = readArguments(['email', 'to', 'account'], z.object({ email: SignInEmail, to: SignInEmail, account }), usage, args);
  return async (command: CommandParts) => {
    const { parts, stores, origin } = command;
    const user = await findUser(command, wanted);
    if (await stores.users.findInAccount(user.account_id, wanted.to))
      throw new Error(`Another user in the account ${wanted.account} already has the email address ${wanted.to}.`);
    await parts.mongo.transaction(origin, async (tx) => {
      await stores.users.update(tx, { ...user, email: wanted.to });
      await stores.signInLinks.withdraw(tx, user);
      await stores.emailChanges.withdraw(tx, user);
      const details = { before: user.email, after: wanted.to };
      await stores.auditLog.add(
        tx,
        { accountId: user.account_id, id: null },
        { action: 'user.email_changed', target_id: user.id, details },
      );
    });
    return `${user.name} now signs in with ${wanted.to}.`;
  };
}

function reset(args: readonly string[]) {
  const wanted = readArguments(['email', 'account'], z.object({ email: SignInEmail, account }), usage, args);
  const env = readEnv({ PUBLIC_URL: gatewayEnv.PUBLIC_URL, PORT: gatewayEnv.PORT });
  return async (command: CommandParts) => {
    const { parts, stores, origin } = command;
    const user = await findUser(command, wanted);
    if (mustUseSingleSignOn(await stores.accounts.find(user.account_id), user))
      throw new Error(
        `The account ${wanted.account} requires single sign-on, so only its owner can use a link. To let all users sign in otherwise: ` +
          `npm run account -- set --account ${wanted.account} --single-sign-on optional`,
      );
    const token = await parts.mongo.transaction(origin, async (tx) => {
      const change = { action: 'user.link_made', target_id: user.id } as const;
      await stores.auditLog.add(tx, { accountId: user.account_id, id: null }, change);
      return stores.signInLinks.make(user, { kind: 'forgotten', tx });
    });
    explain(`With this link, ${user.name} can sign in once, within an hour:`);
    return signInUrl(publicUrl(env), token);
  };
}

function resetSecondFactor(args: readonly string[]) {
  const wanted = readArguments(['email', 'account'], z.object({ email: SignInEmail, account }), usage, args);
  const { PUBLIC_URL, PORT, SMTP_URL, MAIL_FROM } = gatewayEnv;
  const env = readEnv({ PUBLIC_URL, PORT, SMTP_URL, MAIL_FROM });
  return async (command: CommandParts) => {
    const { parts, stores, origin } = command;
    const user = await findUser(command, wanted);
    const removed = await parts.mongo.transaction(origin, async (tx) => {
      const factors = await removeAllFactors(tx, user, stores);
      await stores.users.update(tx, { ...user, has_second_factor: false });
      const ended = await stores.sessions.closeOf(tx, user, { except: undefined });
      const details = { factors, sessions_ended: ended.length };
      const change = { action: 'user.second_factor_reset', target_id: user.id, details } as const;
      await stores.auditLog.add(tx, { accountId: user.account_id, id: null }, change);
      return factors;
    });
    const mailer = createMailer({ smtpUrl: env.SMTP_URL, from: mailFrom(env), logger: parts.logger, isPooled: false });
    await mailer?.send(factorMail(wanted.email, 'reset'));
    return `Removed ${removed} second factors of ${user.name}, who now signs in with the password or a link alone.`;
  };
}

const [verb, ...args] = process.argv.slice(2);
offerHelp(usage);
if (verb === 'list') await runCommand(list(args));
else if (verb === 'reset') await runCommand(reset(args));
else if (verb === 'move') await runCommand(move(args));
else if (verb === 'reset-second-factor') await runCommand(resetSecondFactor(args));
else refuseArguments([`${verb === undefined ? '' : `${verb}: `}expected list, reset, move or reset-second-factor`], usage);
