import type { AccountId, ContactId } from '@mp/ids';
import type { FileChunksStore } from '../files/file-chunks-store.ts';
import type { ExportsStore } from './exports-store.ts';

export type WithdrawExports = ReturnType<typeof createWithdrawExports>;

/** Withdraws the export files that contain one of these contacts; every row has its contact's id. Returns how many. */
export const createWithdrawExports = ({ exports, files }: { exports: ExportsStore; files: FileChunksStore }) =>
  async function withdrawExports(accountId: AccountId, contactIds: readonly ContactId[]): Promise<number> {
    await exports.interrupt(accountId);
    const ids = await files.withContacts(accountId, contactIds);
    for (const id of ids) {
      await exports.withdraw(accountId, id);
      await files.remove(accountId, id);
    }
    return ids.length;
  };
