import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireMatch } from './precondition.ts';
import { rejectReadOnlyChanges } from './read-only.ts';

/** Of settings, as responses have it; 0 until the settings are changed for the first time. */
export const settingsRevision = z.number().int().describe('Increases with every change.');

export type Revisioned<T> = T & { revision: number };

/** Throws unless the request may change these settings: they must match its `If-Match`, and it must not set their revision. */
export function requireSettings(request: FastifyRequest, body: { revision?: number | undefined }, current: { revision: number }) {
  requireMatch(request, current);
  rejectReadOnlyChanges(body, current, ['revision']);
}

/** The changed settings, of the next revision; equal ones keep theirs. */
export function revised<T extends object>({ revision, ...before }: Revisioned<T>, after: T): Revisioned<T> {
  return { ...after, revision: isDeepStrictEqual(before, { ...after }) ? revision : revision + 1 };
}
