import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { TaskTooLarge } from '@mp/templates/template-threads';
import type { Templates } from '@mp/templates/templates';
import { maxImageBytes } from './image.ts';
import type readInThread from './read-in-thread.ts';

const readModule = new URL('./read-in-thread.ts', import.meta.url);

export type ReadUpload = ReturnType<typeof createReadUpload>;

/** Reads a file in base64 as an image, in a thread. Throws VALIDATION_ERROR if it is not one that emails can show. */
export const createReadUpload =
  ({ run }: Pick<Templates, 'run'>) =>
  async (accountId: AccountId, content: string) => {
    if (Buffer.byteLength(content, 'base64') > maxImageBytes) throw invalid('/content', 'too_big', 'An image can be at most 5 MiB.');
    const read = await run<typeof readInThread>(accountId, readModule, content).catch((error: unknown) => {
      if (error instanceof TaskTooLarge) throw invalid('/content', 'invalid_image', 'The image takes too much time or memory to read.');
      throw error;
    });
    if ('fault' in read) throw invalid('/content', read.fault.code, read.fault.message);
    return read;
  };
