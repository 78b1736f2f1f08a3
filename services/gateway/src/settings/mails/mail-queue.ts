import { randomUUID } from 'node:crypto';
import type { AccountId } from '@mp/ids';
import type { Collection, Filter, UpdateFilter } from 'mongodb';

/** `sending`: handed to the mail server, without its response. `unknown`: the process ended then, so it is not sent again. */
type Status = 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown';

/** An email to a user that is sent once. */
export type QueuedMail = {
  _id: string;
  account_id: AccountId;
  status: Status;
  attempts: number;
  due_at: Date;
  token: string | null;
};

export const waitingMail = (now: Date) => ({ status: 'waiting' as const, attempts: 0, due_at: now, token: null });

/** The index by which workers find what is due. */
export const dueIndex = { key: { status: 1, due_at: 1 }, name: 'due' } as const;

export type MailQueue<Mail extends QueuedMail> = ReturnType<typeof createMailQueue<Mail>>;

/** What workers do with the emails of a collection. */
export function createMailQueue<Mail extends QueuedMail>(mails: Collection<Mail>) {
  const set = async (which: Partial<QueuedMail>, change: Partial<QueuedMail>) => {
    const { modifiedCount } = await mails.updateOne(which as Filter<Mail>, { $set: change } as UpdateFilter<Mail>);
    return modifiedCount === 1;
  };

  return {
    /** The one that is due longest, of the accounts that are not excepted. Nobody else gets it before the lease ends. */
    async claim(now: Date, leaseMs: number, exceptAccounts: readonly AccountId[]) {
      const due = { status: 'waiting', due_at: { $lte: now }, account_id: { $nin: [...exceptAccounts] } };
      const claimed = { $set: { due_at: new Date(now.getTime() + leaseMs), token: randomUUID() }, $inc: { attempts: 1 } };
      const found = await mails.findOneAndUpdate(due as Filter<Mail>, claimed as unknown as UpdateFilter<Mail>, {
        sort: { due_at: 1 },
        returnDocument: 'after',
      });
      return found ?? undefined;
    },

    /** Marks it just before the mail server gets it. Returns false if another process has claimed it since. */
    hand: ({ _id, account_id, token }: QueuedMail, until: Date) =>
      set({ _id, account_id, token, status: 'waiting' }, { status: 'sending', due_at: until }),

    settle: ({ _id, account_id, token }: QueuedMail, status: Exclude<Status, 'waiting'>) => set({ _id, account_id, token }, { status }),

    /** The mail server has not taken it; it waits until then. */
    retry: ({ _id, account_id, token }: QueuedMail, due_at: Date) => set({ _id, account_id, token }, { status: 'waiting', due_at }),

    /** Emails whose process ended while the mail server had them. */
    async giveUp(now: Date) {
      const over = { status: 'sending', due_at: { $lte: now } } as Filter<Mail>;
      // A write wakes the worker, so without any it writes nothing.
      if (await mails.findOne(over, { projection: { _id: 1 } }))
        await mails.updateMany(over, { $set: { status: 'unknown' } } as unknown as UpdateFilter<Mail>);
    },
  };
}
