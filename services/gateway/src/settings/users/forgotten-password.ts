import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { networkOf, refuseWhenTooMany } from '../../credentials/failed-auth-limiter.ts';
import { forgottenMail } from './mails.ts';
import { signInUrl } from './sign-in-links-store.ts';
import { type AuthParts, addressOf } from './signed-in.ts';
import { SignInEmail } from './user.ts';

/**
 * Mails a link that signs in once, within an hour, after which a new password can be set. The answer is the same, and as
 * fast, whether anybody has this address: what is done for it is done afterwards.
 */
export function forgottenPassword(app: Server, { state, mailer, publicUrl }: AuthParts) {
  const { users, signInLinks, attempts } = state.stores;

  async function mailLinks(email: string) {
    for (const user of await users.findByEmail(email)) {
      const url = signInUrl(publicUrl, await signInLinks.make(user, { kind: 'forgotten' }));
      await mailer?.send(forgottenMail(email, url));
    }
  }

  app.post('/auth/forgotten-password', { schema: { hide: true, body: z.strictObject({ email: SignInEmail }) } }, async (request, reply) => {
    const { email } = request.body;
    if (!mailer) {
      throw new ApiError(
        'INVALID_STATE',
        'This installation has no mail server. Whoever runs it gets you a link: npm run user -- reset --email …',
      );
    }
    const address = addressOf(request);
    refuseWhenTooMany(address, state.wrongSignIns);
    const guarded = [
      { key: `forgotten ${email}`, free: 3 },
      { key: `forgotten ${networkOf(address)}`, free: 30 },
    ];
    const wait = await attempts.begin(guarded, new Date());
    if (wait > 0) {
      state.wrongSignIns.count(address);
      throw new ApiError('RATE_LIMITED', 'This was asked for too often; look into the mailbox.', { retryAfter: wait });
    }
    mailLinks(email).catch((err: unknown) => request.log.error({ err }, 'link for a forgotten password not made'));
    return reply.code(202).send({ success: true, data: { accepted: true } });
  });
}
