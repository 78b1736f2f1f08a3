import { type Contact, emailKey } from '@mp/contracts/contact';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import type { AccountContext, LoadContext } from '../contacts/account-context.ts';
import { changeContact } from '../contacts/contact.ts';
import { UpdateContactBody } from '../contacts/contact-body.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { contactBytes, draftBytes, maxWrittenBytes } from '../contacts/draft-bytes.ts';
import { changedDraft, type Draft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';
import type { Deletions } from '../deletions/delete.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { Suppress } from '../suppressions/suppress.ts';
import type { BulkRequest, BulkResult } from './bulk-job.ts';
import type { HeldJob } from './bulk-jobs-store.ts';
import type { RequestConfirmations } from './request-confirmations.ts';

type Deps = {
  contacts: ContactsStore;
  merges: MergesStore;
  deletions: Deletions;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  suppress: Suppress;
  requestConfirmations: RequestConfirmations;
};

export type ApplyAction = ReturnType<typeof createApplyAction>;

/**
 * Applies the action to these contacts in one transaction, and returns their results in the same order: those of the first ones, if
 * all together are too large to write at once. With `dry_run` it writes nothing.
 */
export function createApplyAction({ contacts, merges, deletions, loadContext, saveContacts, suppress, requestConfirmations }: Deps) {
  async function change(tx: Transaction, accountId: AccountId, request: BulkRequest, found: readonly Contact[]): Promise<BulkResult[]> {
    const { values, dry_run } = request;
    const ids = found.map(({ id }) => id);
    const context = await loadContext(accountId, values ? [...found, values] : found);
    const atMerge = await consentsAtMerge(merges, tx, accountId, { ids, bodies: [values?.consent] });
    const drafts: Draft[] = [];
    const results: BulkResult[] = [];
    let bytes = 0;
    for (const before of found) {
      if (bytes > maxWrittenBytes) break;
      const result = outcomeOf(before.id, () => {
        const body = parsed(bodyOf(request, before));
        const consent = dateRepeatedConsents(before.consent, body.consent, atMerge.get(before.id));
        const { contact, changed } = changeContact(before, { ...body, consent }, context);
        const draft = changedDraft(before, contact, { changed, body: consent });
        if (!hasNews(draft)) return false;
        drafts.push(draft);
        context.learn(contact.attributes);
        bytes += draftBytes(draft);
        return changed.length > 0;
      });
      results.push(result);
    }
    if (!dry_run) await saveContacts(tx, accountId, { context, drafts, onDuplicate: 'again' });
    return results;
  }

  async function remove(tx: Transaction, accountId: AccountId, { dry_run }: BulkRequest, found: readonly Contact[]): Promise<BulkResult[]> {
    const results: BulkResult[] = [];
    let bytes = 0;
    for (const contact of found) {
      if (bytes > maxWrittenBytes) break;
      bytes += contactBytes(contact);
      if (!dry_run) await deletions.remove(tx, accountId, contact);
      results.push({ id: contact.id, status: 'changed' });
    }
    return results;
  }

  async function suppressAll(
    tx: Transaction,
    accountId: AccountId,
    { dry_run }: BulkRequest,
    found: readonly Contact[],
  ): Promise<BulkResult[]> {
    const context = await loadContext(accountId, found);
    const results: BulkResult[] = [];
    let bytes = 0;
    for (const { id, email, ...rest } of found) {
      if (bytes > maxWrittenBytes) break;
      bytes += contactBytes({ id, email, ...rest });
      if (email === null) results.push({ id, status: 'failed', code: 'no_email', message: 'The contact has no email address.' });
      else
        results.push({
          id,
          status: (await isNewlySuppressed(tx, accountId, { email, context, dryRun: dry_run })) ? 'changed' : 'unchanged',
        });
    }
    return results;
  }

  async function isNewlySuppressed(
    tx: Transaction,
    accountId: AccountId,
    { email, context, dryRun }: { email: string; context: AccountContext; dryRun: boolean },
  ) {
    if (dryRun) return context.suppressionOf(email) === undefined;
    const added = await suppress.add(tx, accountId, { kind: 'email', value: emailKey(email), reason: 'manual', note: null });
    return added.isNew;
  }

  return async (tx: Transaction, job: HeldJob, ids: readonly ContactId[]): Promise<BulkResult[]> => {
    const { accountId, request } = job;
    const known = new Map((await contacts.findMany(accountId, ids, tx)).map((contact) => [contact.id, contact]));
    const found = ids.flatMap((id) => known.get(id) ?? []);
    if (request.action === 'add_to_segment' || request.action === 'start_workflow') throw new Error('another service does this');
    const apply = { add_tag: change, remove_tag: change, update: change, delete: remove, suppress: suppressAll };
    const written =
      request.action === 'request_confirmation'
        ? await requestConfirmations(tx, job, found)
        : await apply[request.action](tx, accountId, request, found);
    const results = new Map(written.map((result) => [result.id, result]));
    const open = ids.findIndex((id) => known.has(id) && !results.has(id));
    return (open < 0 ? ids : ids.slice(0, open)).map((id) => results.get(id) ?? unknownContact(id));
  };
}

function bodyOf({ action, tag, values }: BulkRequest, { tags }: Contact) {
  if (tag === undefined) return values ?? {};
  return { tags: action === 'add_tag' ? [...new Set([...tags, tag])] : tags.filter((one) => one !== tag) };
}

function parsed(body: unknown) {
  const { data, error } = UpdateContactBody.safeParse(body);
  if (data) return data;
  const [issue] = error.issues;
  throw invalid(`/${issue?.path.join('/') ?? ''}`, 'invalid', issue?.message ?? 'invalid');
}

export const unknownContact = (id: ContactId): BulkResult => ({
  id,
  status: 'failed',
  code: 'NOT_FOUND',
  message: 'The account has no contact with this id; it may have been deleted or merged into another.',
});

/** A change that a contact does not allow fails that contact only. */
function outcomeOf(id: ContactId, work: () => boolean): BulkResult {
  try {
    return { id, status: work() ? 'changed' : 'unchanged' };
  } catch (error) {
    if (error instanceof ApiError) return { id, status: 'failed', code: error.code, message: error.message };
    throw error;
  }
}
