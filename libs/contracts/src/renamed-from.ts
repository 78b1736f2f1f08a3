import type { z } from 'zod';

/**
 * A field or query parameter that had another name. Wherever the schema is part of a route, the server accepts and returns both names, and
 * the OpenAPI document marks the old one as deprecated, so routes only know the new one (`renamed-fields.ts` of the kit). Events and
 * webhooks do not pass through routes and keep their fields.
 */
export const renamedFrom = <T extends z.ZodType>(oldName: string, schema: T): T => schema.meta({ formerly: oldName });
