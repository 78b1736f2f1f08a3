import type { AccountId } from '@mp/ids';
import { chunkBytes, type FileChunksStore } from './file-chunks-store.ts';

/** Stores a stream in chunks as it arrives and returns its size in bytes. `check` can abort by throwing. */
export async function writeChunks(
  files: FileChunksStore,
  accountId: AccountId,
  { fileId, stream, check }: { fileId: string; stream: AsyncIterable<Buffer>; check: (bytes: number) => void | Promise<void> },
): Promise<number> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let stored = 0;
  const store = async (atLeast: number) => {
    while (waitingBytes >= atLeast && waitingBytes > 0) {
      const all = waiting.length === 1 && waiting[0] ? waiting[0] : Buffer.concat(waiting);
      const piece = all.subarray(0, chunkBytes);
      await files.put(accountId, fileId, stored, piece);
      stored += piece.length;
      waiting = all.length > piece.length ? [all.subarray(piece.length)] : [];
      waitingBytes = all.length - piece.length;
      await check(stored);
    }
  };
  for await (const bytes of stream) {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    await check(stored + waitingBytes);
    await store(chunkBytes);
  }
  await store(1);
  return stored;
}
