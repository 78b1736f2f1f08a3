import { ApiError } from '@mp/contracts/errors';
import type { WhoMayBeMailed } from '../contactables/who-may-be-mailed.ts';
import type { Claimed, Outcome } from '../recipients/recipients-queue.ts';
import type { ContentsStore } from '../templates/contents-store.ts';
import { TemplateError } from '../templates/liquid.ts';
import type { createComposeMail, Mail } from './compose-mail.ts';

/** A row that may be mailed now, with its mail. */
export type Ready = { row: Claimed; mail: Mail };

export type PrepareBatch = ReturnType<typeof createPrepareBatch>;

type Deps = { whoMayBeMailed: WhoMayBeMailed; contents: ContentsStore; composeMail: ReturnType<typeof createComposeMail> };

/** Reads consent and suppression again and makes the mails of claimed rows, which all belong to one account. */
export function createPrepareBatch({ whoMayBeMailed, contents, composeMail }: Deps) {
  async function prepare(row: Claimed, verdicts: Awaited<ReturnType<WhoMayBeMailed>>): Promise<Ready | Outcome> {
    const skip = (reason: string, detail: string | null = null): Outcome => ({ row, state: 'skipped', reason, detail, at: new Date() });
    const { contact, reason } = verdicts.get(row.contact_id) ?? { contact: undefined, reason: 'deleted' };
    if (reason) return skip(reason);
    if (!contact?.email) return skip('no_address');
    try {
      const content = await contents.of(row);
      if (!content) return skip('template_error', 'The content is gone.');
      return { row, mail: await composeMail(row, contact, contact.email, content) };
    } catch (error) {
      // A template at fault is this message's end; anything else is tried again.
      const isFault = error instanceof TemplateError || (error instanceof ApiError && error.code === 'VALIDATION_ERROR');
      if (isFault) return skip('template_error', error.message);
      throw error;
    }
  }

  return async (rows: readonly Claimed[]): Promise<{ ready: Ready[]; decided: Outcome[] }> => {
    const [first] = rows;
    if (!first) return { ready: [], decided: [] };
    const verdicts = await whoMayBeMailed(first.account_id, [...new Set(rows.map(({ contact_id }) => contact_id))]);
    const prepared = await Promise.all(rows.map((row) => prepare(row, verdicts)));
    return {
      ready: prepared.filter((one) => 'mail' in one),
      decided: prepared.filter((one) => 'state' in one),
    };
  };
}
