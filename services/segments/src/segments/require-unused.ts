import { ApiError } from '@mp/contracts/errors';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { mayRead } from '@mp/service-kit/principal';
import type { ReferencesStore, UserType } from '../references/references-store.ts';
import { namedSegments } from './check-definition.ts';
import type { StoredSegment } from './segment.ts';
import type { SegmentsStore } from './segments-store.ts';

type User = { type: 'segment' | UserType; id: string; name: string };

export type RequireUnused = ReturnType<typeof createRequireUnused>;

const maxNamed = 100;

/** Throws INVALID_STATE while a segment, an unsent campaign or a workflow that is not archived uses the segment. */
export function createRequireUnused({ segments, references }: { segments: SegmentsStore; references: ReferencesStore }) {
  return async function requireUnused(tx: Transaction, principal: Principal, segment: StoredSegment) {
    const { accountId } = principal;
    const naming = (await segments.allOf(accountId, tx)).filter(({ definition }) => namedSegments(definition).includes(segment.id));
    const users: User[] = [
      ...naming.map(({ id, name }) => ({ type: 'segment' as const, id, name })),
      ...(await references.using(tx, accountId, segment.id, maxNamed)),
    ];
    if (users.length > 0) throw inUse(principal, users.slice(0, maxNamed));
  };
}

/** Names what uses the segment; if the caller may not read it, only its type. */
function inUse(principal: Principal, users: readonly User[]): ApiError {
  const details = users.map(({ type, id, name }) => {
    const named = mayRead(principal, `${type}s:read`);
    const message = named ? `The ${type} ${name} uses it.` : `A ${type} uses it.`;
    return { code: 'in_use', message, type, ...(named ? { id, name } : {}), ...(type === 'segment' ? { segment_id: id } : {}) };
  });
  const first = details.slice(0, 3).map(({ message }) => message);
  const more = details.length > first.length ? [`${details.length - first.length} more.`] : [];
  return new ApiError('INVALID_STATE', ['The segment is in use.', ...first, ...more, 'Remove it there first.'].join(' '), { details });
}
