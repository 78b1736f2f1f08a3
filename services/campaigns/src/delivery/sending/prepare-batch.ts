import type { AccountId } from '@mp/ids';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import type { GiveCodes } from '../../coupons/give-codes.ts';
import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import { allowedAtOf, frequencyCap } from '../../ledger/recipients/frequency-cap.ts';
import type { Postponed } from '../../ledger/recipients/postponed-rows.ts';
import type { Outcome } from '../../ledger/recipients/recipients-queue.ts';
import type { RecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import type { AttachmentsStore } from '../../messages/attachments-store.ts';
import type { ContentsStore, SendableContent } from '../../messages/contents-store.ts';
import type { FindMessageRecipients } from '../../messages/find-message-recipients.ts';
import type { FrequencyCap } from '../../settings/settings.ts';
import type { SettingsInForce, SettingsStore } from '../../settings/settings-store.ts';
import { domainOfAddress } from './address-domain.ts';
import type { ComposeEmails } from './compose-emails.ts';
import type { Mail, MailToCompose } from './compose-in-thread.ts';
import { createDecideRecipients } from './decide-recipients.ts';
import type { DomainGate } from './domain-gate.ts';
import { type DomainThrottles, throttled } from './domain-throttles.ts';
import { postponeForDomain } from './postpone-for-domain.ts';

/** A row that may be sent now, with its email. */
export type Ready = { row: Claimed; mail: Mail };

/** `giveBackUnless` returns the allowance of emails that were not composed. */
type Throttled = {
  allowed: readonly { row: Claimed; mail: MailToCompose }[];
  later: Postponed[];
  giveBackUnless: (isReady: (row: Claimed) => boolean) => Promise<void>;
};

/** `decided` are rows that are skipped or fail. `rest` are rows without time or memory left in this batch; they are due again at once. */
export type Prepared = { ready: Ready[]; decided: Outcome[]; rest: Claimed[]; postponed: Postponed[] };

export type PrepareBatch = ReturnType<typeof createPrepareBatch>;

type Deps = {
  findMailable: FindMailable;
  findMessageRecipients: FindMessageRecipients;
  contents: Pick<ContentsStore, 'of'>;
  attachments: Pick<AttachmentsStore, 'load'>;
  composeEmails: ComposeEmails;
  giveCodes: GiveCodes;
  settings: Pick<SettingsStore, 'inForce'>;
  recipients: Pick<RecipientsStore, 'emailedSince' | 'emailedAt'>;
  throttles: Pick<DomainThrottles, 'reserve' | 'giveBack'>;
  gate: Pick<DomainGate, 'closedUntil'>;
  /** How long an email waits for a domain that is slow or rejects emails. */
  maxDomainWaitMs: number;
  /** How long the rows of a batch are claimed, if nothing renews it. */
  claimMs: number;
};

/** What a receiving domain is known by: by account, so that no account slows another down. */
export const gateKey = (accountId: AccountId, address: string) => `${accountId} ${domainOfAddress(address)}`;

/** The part of a claim that preparing may take: the rest is for sending, and an email whose claim has ended is not sent. */
const partOfClaim = 1 / 6;

/** Bytes of emails that a batch holds in memory. */
const maxBytes = 32 * 1_048_576;

/** Checks consent and suppressions again and composes the emails of claimed rows, which all belong to one account. */
export function createPrepareBatch({
  findMailable,
  findMessageRecipients,
  contents,
  attachments,
  composeEmails,
  giveCodes,
  settings,
  recipients,
  throttles,
  gate,
  maxDomainWaitMs,
  claimMs,
}: Deps) {
  const decideRecipients = createDecideRecipients({ findMailable, findMessageRecipients, contents, recipients });

  const skip = (row: Claimed, reason: string, detail: string | null = null): Outcome => ({
    ...{ row, state: 'skipped', reason, detail },
    at: new Date(),
  });

  async function cappedRow(row: Claimed, cap: FrequencyCap | null): Promise<Outcome> {
    const allowedAt = await allowedAtOf(recipients, row, cap);
    return { ...skip(row, frequencyCap), ...(allowedAt && { allowedAt }) };
  }

  /** The first of these emails: one with its attachments, or all up to the next that has some. Undefined if one no longer exists. */
  async function withAttachments(left: readonly { row: Claimed; mail: MailToCompose }[]): Promise<MailToCompose[] | undefined> {
    const [first] = left;
    if (first?.row.attachments) {
      const files = await attachments.load(first.row.account_id, first.row.attachments);
      return files && [{ ...first.mail, attachments: files }];
    }
    const next = left.findIndex(({ row }) => row.attachments !== undefined);
    return left.slice(0, next < 0 ? left.length : next).map(({ mail }) => mail);
  }

  /** Which of these emails the domain throttles allow now. Messages are not throttled. */
  async function throttle(
    { settings: { domain_throttles: all }, revision }: SettingsInForce,
    content: SendableContent | undefined,
    willing: readonly { row: Claimed; mail: MailToCompose }[],
  ): Promise<Throttled> {
    const [first] = willing;
    if (!first || !content || all.length === 0 || first.row.category !== undefined)
      return { allowed: willing, later: [], giveBackUnless: async () => undefined };
    const from = domainOfAddress(content.content.from.email);
    const addressed = willing.map((one) => ({ ...one, domain: domainOfAddress(one.mail.email) }));
    const { allowed, later, giveBack } = await throttled(throttles, { accountId: first.row.account_id, all, from, revision }, addressed);
    return {
      allowed,
      later: later.map(({ email: { row }, until }) => ({ row, until, reason: 'domain_throttle', settings: revision })),
      giveBackUnless: (isReady) => giveBack(allowed.filter(({ row }) => !isReady(row))),
    };
  }

  return async (rows: readonly Claimed[]): Promise<Prepared> => {
    const prepared: Prepared = { ready: [], decided: [], rest: [], postponed: [] };
    const [first] = rows;
    if (!first) return prepared;
    const until = Date.now() + claimMs * partOfClaim;
    const { account_id: accountId } = first;
    const inForce = await settings.inForce(accountId);
    const recipientOf = await decideRecipients(accountId, rows, inForce);
    let bytes = 0;
    let hasComposed = false;
    for (const ofContent of Map.groupBy(
      rows,
      ({ content_id, category, variant }) => `${content_id} ${category} ${variant ?? ''}`,
    ).values()) {
      const willing: { row: Claimed; mail: MailToCompose }[] = [];
      for (const row of ofContent) {
        const recipient = recipientOf(row);
        const closedUntil = 'email' in recipient && row.category === undefined && gate.closedUntil(gateKey(accountId, recipient.email));
        const waits = closedUntil && postponeForDomain(row, closedUntil, maxDomainWaitMs);
        if (waits && 'state' in waits) prepared.decided.push(waits);
        else if (waits) prepared.postponed.push(waits);
        else if ('until' in recipient) prepared.postponed.push({ row, ...recipient });
        else if ('reason' in recipient)
          prepared.decided.push(
            recipient.reason === frequencyCap ? await cappedRow(row, inForce.settings.frequency_cap) : skip(row, recipient.reason),
          );
        else {
          const { email, contact } = recipient;
          willing.push({
            row,
            mail: {
              ...{ recipientId: row._id, email, contact, links: row.links ?? {} },
              ...(row.data && { data: row.data }),
              ...(row.run_values !== undefined && JSON.parse(row.run_values)),
            },
          });
        }
      }
      const [source] = ofContent;
      const content = source && willing.length > 0 ? await contents.of(source) : undefined;
      const { allowed, later, giveBackUnless } = await throttle(inForce, content, willing);
      prepared.postponed.push(...later);
      const { emails: mailable, refused } = await giveCodes(accountId, content, allowed);
      prepared.decided.push(...refused.map(({ row, reason, detail }) => skip(row, reason, detail)));
      for (let done = 0; done < mailable.length; ) {
        const left = mailable.slice(done);
        // However long the checks took, the first emails are composed: otherwise a slow machine would send none, ever.
        if (hasComposed && (Date.now() > until || bytes > maxBytes)) {
          prepared.rest.push(...left.map(({ row }) => row));
          break;
        }
        if (!content || !source) {
          prepared.decided.push(...left.map(({ row }) => skip(row, 'template_error', 'The content no longer exists.')));
          break;
        }
        const { source: kind, source_id, category } = source;
        const mails = await withAttachments(left);
        if (!mails) {
          prepared.decided.push(...left.slice(0, 1).map(({ row }) => skip(row, 'template_error', 'An attachment no longer exists.')));
          done += 1;
          continue;
        }
        const composed = await composeEmails({
          content,
          source: { account_id: accountId, source: kind, source_id, ...(category && { category }) },
          mails,
        });
        for (const [index, made] of composed.entries()) {
          const row = left[index]?.row;
          if (!row) continue;
          if ('fault' in made) prepared.decided.push(skip(row, 'template_error', made.fault));
          else prepared.ready.push({ row, mail: made });
          bytes += 'raw' in made ? made.raw.length : 0;
        }
        done += composed.length;
        hasComposed = true;
      }
      const ready = new Set(prepared.ready.map(({ row }) => row._id));
      await giveBackUnless((row) => ready.has(row._id));
    }
    return prepared;
  };
}
