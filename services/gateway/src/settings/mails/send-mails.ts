import type { AccountId } from '@mp/ids';
import { backoff } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import { createRunner } from '@mp/service-kit/runner';
import type { WithId } from 'mongodb';
import type { Deliver, Delivery, Mail } from '../users/mailer.ts';
import type { MailQueue, QueuedMail } from './mail-queue.ts';

type Settled = Exclude<Delivery, { status: 'retry' }>;

type Deps<Queued extends QueuedMail> = {
  logger: Logger;
  queue: MailQueue<Queued>;
  /** Turns what is due into emails. Returns whether anything was. */
  begin?: () => Promise<boolean>;
  /** Writes the email as it is now, or says why it is not to be sent. Throws while a service is away. */
  compose: (queued: WithId<Queued>) => Promise<Mail | { status: 'failed'; reason: string }>;
  /** Notes what became of an email. */
  note?: (queued: WithId<Queued>, outcome: Settled) => Promise<void>;
  /** Undefined if no mail server is configured. */
  deliver: Deliver | undefined;
  now: () => number;
  leaseMs?: number | undefined;
  retryMs?: { first: number; max: number } | undefined;
};

const hourMs = 60 * 60 * 1_000;
const maxAttempts = 12;
const mailsAtOnce = 4;
/** Bounds the query of a round in which very many accounts take part. */
const maxAccountsPerRound = 1_000;

/**
 * Sends the emails of a queue. Each account has one in turn, so that many of one do not delay those of another. An email is marked just
 * before the mail server gets it: a process that ends before sends it later, one that ends during that not again.
 */
export function createSendMails<Queued extends QueuedMail>({ logger, queue, compose, deliver, now, ...deps }: Deps<Queued>) {
  const { begin = async () => false, note = async () => undefined, leaseMs = 5 * 60_000, retryMs = { first: 60_000, max: hourMs } } = deps;
  const served = new Set<AccountId>();

  /** The next of the accounts that had no turn in this round; then a new round begins. */
  async function claim(at: Date): Promise<WithId<Queued> | undefined> {
    if (served.size >= maxAccountsPerRound) served.clear();
    const found = await queue.claim(at, leaseMs, [...served]);
    if (found || served.size === 0) return found;
    served.clear();
    return queue.claim(at, leaseMs, []);
  }

  /** Undefined if another process has claimed it meanwhile. */
  async function attempt(queued: WithId<Queued>): Promise<Delivery | undefined> {
    if (!deliver) return { status: 'failed', reason: 'The platform has no mail server.' };
    const composed = await compose(queued).catch((error: unknown) => {
      logger.warn({ err: error, account: queued.account_id }, 'could not compose an email to a user; retrying');
      return { status: 'retry' as const, reason: error instanceof Error ? error.message : String(error) };
    });
    if ('status' in composed) return composed;
    if (!(await queue.hand(queued, new Date(now() + leaseMs)))) return undefined;
    const delivery = await deliver(composed);
    if (delivery.status !== 'sent')
      logger.warn({ account: queued.account_id, reason: delivery.reason }, 'an email to a user was not delivered');
    return delivery;
  }

  async function send(queued: WithId<Queued>) {
    const outcome = await attempt(queued);
    if (!outcome) return;
    if (outcome.status !== 'retry') return settle(queued, outcome);
    if (queued.attempts >= maxAttempts) return settle(queued, { ...outcome, status: 'failed' });
    await queue.retry(queued, new Date(now() + backoff(queued.attempts - 1, retryMs.first, retryMs.max)));
  }

  async function settle(queued: WithId<Queued>, outcome: Settled) {
    await queue.settle(queued, outcome.status);
    await note(queued, outcome);
  }

  return createRunner({
    logger,
    warning: 'sending emails to users failed; retrying',
    async work() {
      const at = new Date(now());
      await queue.giveUp(at);
      const hasBegun = await begin();
      const claimed: WithId<Queued>[] = [];
      while (claimed.length < mailsAtOnce) {
        const queued = await claim(at);
        if (!queued) break;
        served.add(queued.account_id);
        claimed.push(queued);
      }
      await Promise.all(claimed.map(send));
      return hasBegun || claimed.length > 0;
    },
  });
}
