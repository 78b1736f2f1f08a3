import { ApiError, notFound } from '@mp/contracts/errors';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import type { CommentRow } from './comment.ts';
import type { CommentsStore } from './comments-store.ts';
import { maySee, typesSeenBy } from './resource.ts';

/** Throws FORBIDDEN for a caller who may read nothing that has comments. */
export function requireSomeReader(principal: Principal) {
  if (typesSeenBy(principal).length > 0) return;
  throw new ApiError('FORBIDDEN', 'This credential lacks the scopes campaigns:read, segments:read and workflows:read.');
}

/** Throws NOT_FOUND for a comment that the caller may not read, like for one that does not exist. */
export async function getReadableComment(
  comments: Pick<CommentsStore, 'get'>,
  principal: Principal,
  id: string,
  tx?: Transaction,
): Promise<CommentRow> {
  requireSomeReader(principal);
  const row = await comments.get(principal.accountId, id, tx);
  if (!maySee(principal, row.resource_type)) throw notFound();
  return row;
}
