import { contactScope } from '@mp/templates/fields';
import type { FindMailable } from '../contactables/mailable-contacts.ts';
import type { Claimed, Outcome } from '../recipients/recipients-queue.ts';
import type { ContentsStore } from '../templates/contents-store.ts';
import type { Mail, MailToCompose } from './compose-in-thread.ts';
import type { ComposeMails } from './compose-mails.ts';

/** A row that may be sent now, with its email. */
export type Ready = { row: Claimed; mail: Mail };

/** `decided` are rows that are skipped. `rest` are rows without time or memory left in this batch; they are due again at once. */
export type Prepared = { ready: Ready[]; decided: Outcome[]; rest: Claimed[] };

export type PrepareBatch = ReturnType<typeof createPrepareBatch>;

type Deps = { findMailable: FindMailable; contents: ContentsStore; composeMails: ComposeMails };

/** The time limit of one batch, well within a claim, and the bytes of emails held in memory. */
const maxMs = 5_000;
const maxBytes = 32 * 1_048_576;

/** Checks consent and suppressions again and composes the emails of claimed rows, which all belong to one account. */
export function createPrepareBatch({ findMailable, contents, composeMails }: Deps) {
  const skip = (row: Claimed, reason: string, detail: string | null = null): Outcome => ({
    ...{ row, state: 'skipped', reason, detail },
    at: new Date(),
  });

  return async (rows: readonly Claimed[]): Promise<Prepared> => {
    const prepared: Prepared = { ready: [], decided: [], rest: [] };
    const [first] = rows;
    if (!first) return prepared;
    const until = Date.now() + maxMs;
    const verdicts = await findMailable(first.account_id, [...new Set(rows.map(({ contact_id }) => contact_id))]);
    let bytes = 0;
    for (const ofContent of Map.groupBy(rows, ({ content_id }) => content_id).values()) {
      const mailable: { row: Claimed; mail: MailToCompose }[] = [];
      for (const row of ofContent) {
        const { contact, reason } = verdicts.get(row.contact_id) ?? { contact: undefined, reason: 'deleted' };
        if (reason || !contact?.email) prepared.decided.push(skip(row, reason ?? 'no_address'));
        else {
          const mail = { recipientId: row._id, email: contact.email, contact: contactScope(contact), links: row.links ?? {} };
          mailable.push({ row, mail });
        }
      }
      const [source] = ofContent;
      const content = source && mailable.length > 0 ? await contents.of(source) : undefined;
      for (let done = 0; done < mailable.length; ) {
        const left = mailable.slice(done);
        if (Date.now() > until || bytes > maxBytes) {
          prepared.rest.push(...left.map(({ row }) => row));
          break;
        }
        if (!content || !source) {
          prepared.decided.push(...left.map(({ row }) => skip(row, 'template_error', 'The content no longer exists.')));
          break;
        }
        const { account_id, source: kind, source_id } = source;
        const mails = left.map(({ mail }) => mail);
        const composed = await composeMails({ content, source: { account_id, source: kind, source_id }, mails });
        for (const [index, made] of composed.entries()) {
          const row = left[index]?.row;
          if (!row) continue;
          if ('fault' in made) prepared.decided.push(skip(row, 'template_error', made.fault));
          else prepared.ready.push({ row, mail: made });
          bytes += 'raw' in made ? made.raw.length : 0;
        }
        done += composed.length;
      }
    }
    return prepared;
  };
}
