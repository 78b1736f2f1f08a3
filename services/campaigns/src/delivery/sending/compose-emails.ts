import type { Keyring } from '@mp/contracts/keyring';
import { TaskTooLarge } from '@mp/templates/template-threads';
import type { Templates } from '@mp/templates/templates';
import type { SendersStore } from '../senders/senders-store.ts';
import type composeInThread from './compose-in-thread.ts';
import type { Composed, ComposeTask } from './compose-in-thread.ts';

const composeModule = new URL('./compose-in-thread.ts', import.meta.url);

type Deps = {
  templates: Pick<Templates, 'run'>;
  linkKeys: Keyring;
  publicUrl: string;
  senders?: Pick<SendersStore, 'signingOf'>;
  bounceDomain?: string | undefined;
  /** The queue of the template threads: emails to send do not wait behind previews and dry runs. */
  lane: Parameters<Templates['run']>[3];
};

export type ComposeEmails = ReturnType<typeof createComposeEmails>;

/** Composes emails of one content in a template thread. Returns the first ones, as many as one turn allows. */
export function createComposeEmails({ templates, linkKeys, publicUrl, senders, bounceDomain, lane }: Deps) {
  return async function composeEmails(task: Pick<ComposeTask, 'content' | 'source' | 'mails'>): Promise<Composed[]> {
    try {
      const { account_id } = task.source;
      const signing = await senders?.signingOf(account_id, task.content.content.from.email);
      const whole = { ...task, linkKeys, publicUrl, signing, bounceDomain };
      return await templates.run<typeof composeInThread>(account_id, composeModule, whole, lane);
    } catch (error) {
      if (!(error instanceof TaskTooLarge)) throw error;
      // One of them is too large; alone, it cannot fail the others.
      return task.mails.length > 1 ? await composeEmails({ ...task, mails: task.mails.slice(0, 1) }) : [{ fault: error.message }];
    }
  };
}
