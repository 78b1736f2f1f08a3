import type { EventsStore } from '../events/events-store.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import type { VisitorDeletionsStore } from '../visitors/visitor-deletions-store.ts';

type Deps = { events: EventsStore; sessions: SessionsStore; deletions: VisitorDeletionsStore };

/** Deletes the events and sessions of visitors that were deleted. */
export const createDeleteVisitorData =
  ({ events, sessions, deletions }: Deps) =>
  async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const deleted = await deletions.next();
      if (!deleted) return;
      const { accountId, visitor } = deleted;
      await events.removeOfVisitor(accountId, visitor);
      await sessions.removeOfVisitor(accountId, visitor);
      await deletions.done(accountId, visitor);
    }
  };
