import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@mp/contracts/errors';
import { refusal, type Scope } from '@mp/contracts/permissions';
import { beyondLimits } from '@mp/contracts/sending-limits';
import { isId } from '@mp/ids';
import { z } from 'zod';
import type { ApprovalRequest } from './approvals-store.ts';
import type { Principal } from './create-server.ts';
import { requirePerson } from './principal.ts';

const maxCommentLength = 2_000;
const comment = z.string().trim().normalize('NFC').max(maxCommentLength);
const revision = z
  .number()
  .int()
  .min(1)
  .describe('The `revision` that you have seen. If it has changed, the request fails with 412 and nothing is decided.');

export const ApproveBody = z.strictObject({ revision, comment: comment.optional().describe('A comment for the requester.') });
export const RejectBody = z.strictObject({ revision, comment: comment.min(1).describe('What has to change.') });

/** A request for the approval of a second person, as the API returns it. */
export const approvalFields = {
  status: z
    .enum(['awaiting', 'approved', 'rejected', 'withdrawn'])
    .nullable()
    .describe('The state of the last request for approval; null if approval was never requested.'),
  revision: z.number().int().describe('The current revision; `approve` and `reject` name it.'),
  requested_by: z.string().nullable().describe('The user, API key or OAuth client that requested approval.'),
  created_at: z.iso.datetime().nullable().describe('When approval was requested.'),
  decided_by: z.string().nullable().describe('The user that approved or rejected it, or the caller that withdrew it.'),
  decided_at: z.iso.datetime().nullable().describe('When that was.'),
  comment: z.string().nullable().describe('What the approver wrote.'),
  can_decide: z
    .boolean()
    .describe('Whether you can approve or reject it: you are signed in as a user, your role may send it, and you did not request it.'),
  changes: z
    .array(
      z.object({
        field: z.string().describe('The field that differs.'),
        before: z.string().nullable().describe('Its approved value, as text or JSON: the part that differs, of a long one; null for none.'),
        after: z.string().nullable().describe('Its value now.'),
      }),
    )
    .nullable()
    .describe('What changed since the last approved version; null if none was approved.'),
};

/**
 * The changed settings of the approval, for their event; undefined if none changes. Throws FORBIDDEN unless a signed-in owner or admin changes
 * them: otherwise an editor, or a program with a key, could switch approval off and on again around what they send.
 */
export function approvalChanges<Name extends string, T extends { [N in Name]: unknown }>(
  principal: Principal,
  names: readonly Name[],
  before: T,
  after: T,
) {
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return undefined;
  requirePerson(principal, 'change which approval is required');
  if (principal.permission !== 'admin') throw new ApiError('FORBIDDEN', 'Only owners and admins can change which approval is required.');
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}

/** Whether the request was made by this user, or with an API key or OAuth client that this user created. */
const isOwn = ({ requested_by, requested_for }: ApprovalRequest, { id }: Principal) => id === requested_by || id === requested_for;

/** Throws FORBIDDEN for the user who requested approval. */
export function requireSecondPerson(request: ApprovalRequest, principal: Principal) {
  if (!isOwn(request, principal)) return;
  const own = principal.id === request.requested_by ? 'You' : 'An API key or OAuth client that you created';
  throw new ApiError('FORBIDDEN', `${own} requested this approval; another user must decide.`);
}

/** Throws PRECONDITION_FAILED unless the caller has seen the current revision. */
export function requireSeen(seen: number, current: { revision: number }) {
  if (seen === current.revision) return;
  throw new ApiError('PRECONDITION_FAILED', `This is now at revision ${current.revision}; look at it again before you decide.`);
}

type Shown = {
  request: ApprovalRequest | undefined;
  revision: number;
  content: object;
  principal: Principal;
  scope: Scope;
  /** The emails that would be sent. */
  emails: readonly { topic: string | null; sender: string }[];
};

export function approvalView({ request, revision, content, principal, scope, emails }: Shown) {
  const isAllowed = refusal(principal, 'POST', scope) === undefined;
  const mayDecide = isId('user', principal.id) && isAllowed && emails.every((email) => !beyondLimits(principal.sendingLimits, email));
  return {
    status: request?.status ?? null,
    revision,
    requested_by: request?.requested_by ?? null,
    created_at: request?.requested_at.toISOString() ?? null,
    decided_by: request?.decided_by ?? null,
    decided_at: request?.decided_at?.toISOString() ?? null,
    comment: request?.comment ?? null,
    can_decide: mayDecide && request?.status === 'awaiting' && !isOwn(request, principal),
    changes: request?.approved ? changesOf(JSON.parse(request.approved), content) : null,
  };
}

/** The fields that differ, each as text. */
export function changesOf(approved: object, now: object) {
  const [before, after] = [new Map(Object.entries(approved)), new Map(Object.entries(JSON.parse(JSON.stringify(now))))];
  const fields = [...new Set([...before.keys(), ...after.keys()])];
  return fields
    .filter((field) => !isDeepStrictEqual(before.get(field) ?? null, after.get(field) ?? null))
    .map((field) => ({ field, ...excerpts(textOf(before.get(field)), textOf(after.get(field))) }));
}

const textOf = (value: unknown) =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value, null, 2);

const maxExcerpt = 2_000;
const around = 80;

/** The parts of two texts that differ, with a little of what is around them. Short texts are whole. */
function excerpts(before: string | null, after: string | null) {
  const longest = Math.max(before?.length ?? 0, after?.length ?? 0);
  if (longest <= maxExcerpt || before === null || after === null) return { before: cut(before, 0), after: cut(after, 0) };
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - same && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, same - around);
  return { before: cut(before, from, end), after: cut(after, from, end) };
}

function cut(text: string | null, from: number, end = 0) {
  if (text === null) return null;
  const to = Math.min(text.length, from + maxExcerpt, text.length - Math.max(0, end - around));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
