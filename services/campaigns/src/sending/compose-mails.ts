import type { Keyring } from '@mp/contracts/keyring';
import { TaskTooLarge } from '@mp/templates/template-threads';
import type { Templates } from '@mp/templates/templates';
import type composeInThread from './compose-in-thread.ts';
import type { Composed, ComposeTask } from './compose-in-thread.ts';

const composeModule = new URL('./compose-in-thread.ts', import.meta.url);

type Deps = {
  templates: Pick<Templates, 'run'>;
  linkKeys: Keyring;
  publicUrl: string;
  /** Whether these are mails to send, which do not wait behind what callers try out. */
  lane: Parameters<Templates['run']>[3];
};

export type ComposeMails = ReturnType<typeof createComposeMails>;

/** Makes mails of one content, in a thread of the templates: the first of those asked for, as many as one turn allows. */
export function createComposeMails({ templates, linkKeys, publicUrl, lane }: Deps) {
  return async function composeMails(task: Pick<ComposeTask, 'content' | 'source' | 'mails'>): Promise<Composed[]> {
    try {
      return await templates.run<typeof composeInThread>(task.source.account_id, composeModule, { ...task, linkKeys, publicUrl }, lane);
    } catch (error) {
      if (!(error instanceof TaskTooLarge)) throw error;
      // One of them is too large: alone it cannot take the others with it.
      return task.mails.length > 1 ? await composeMails({ ...task, mails: task.mails.slice(0, 1) }) : [{ fault: error.message }];
    }
  };
}
