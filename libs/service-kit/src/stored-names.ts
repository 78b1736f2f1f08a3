import type { z } from 'zod';
import { renamesOf, withNewNames, withOldNames } from './renamed-fields.ts';

/**
 * Reads and writes what a store keeps in the shape of a schema. Renamed fields keep the name they had first, so that every version of the
 * service reads what any of them stored.
 */
export function storedNames<T extends z.ZodType>(schema: T) {
  const renames = renamesOf(schema);
  return {
    read: (stored: unknown): z.output<T> => schema.parse(renames ? withNewNames(stored, renames) : stored),
    stored: (value: z.output<T>): unknown => (renames ? withOldNames(value, renames) : value),
  };
}
