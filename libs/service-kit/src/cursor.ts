import { createHash } from 'node:crypto';
import { invalid } from '@mp/contracts/errors';
import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { z } from 'zod';

export type Cursors = ReturnType<typeof createCursors>;

/** The end of a page: the sort value and the id of its last row. Dates are encoded as epoch milliseconds. */
export type Position = { value: string | number | null; id: string };

const Payload = z.object({ v: z.union([z.string(), z.number(), z.null()]), i: z.string(), q: z.string(), x: z.number() });

/** Three days, as AIP-158 suggests. */
const lifetimeMs = 3 * 24 * 60 * 60 * 1_000;

/**
 * Opaque list cursors. A cursor is signed and bound to its account, list and filters by `query`, so that it can neither be forged
 * nor used for another list. It holds a position, not a row: it stays valid when the row is deleted.
 */
export function createCursors(keyring: Keyring) {
  return {
    encode(query: unknown, position: Position): string {
      const payload: z.infer<typeof Payload> = { v: position.value, i: position.id, q: digest(query), x: Date.now() + lifetimeMs };
      return sign(keyring, Buffer.from(JSON.stringify(payload)).toString('base64url'), 'cursor', 16);
    },

    /** Throws VALIDATION_ERROR (`invalid_cursor`) for a cursor that is forged, expired, or of another list. */
    decode(query: unknown, cursor: string): Position {
      const text = verify(keyring, cursor, 'cursor', 16);
      if (text === undefined) throw invalidCursor();
      const payload = Payload.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
      if (payload.q !== digest(query) || payload.x < Date.now()) throw invalidCursor();
      return { value: payload.v, id: payload.i };
    },
  };
}

const invalidCursor = () =>
  invalid(
    '/query/cursor',
    'invalid_cursor',
    'This cursor is expired or belongs to another list; use next_cursor of the previous page, with the same filters and sort order.',
  );

const digest = (query: unknown) => createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 16);
