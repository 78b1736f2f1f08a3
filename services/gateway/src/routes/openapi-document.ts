import { Scope } from '@mp/contracts/permissions';
import { z } from 'zod';

export const methods = ['get', 'post', 'put', 'delete', 'patch'] as const;

/** What the route table needs to know of an operation; everything else is carried along as it is. */
const Operation = z.looseObject({
  'x-scope': Scope.nullable(),
  'x-body-limit': z.number().int().positive().optional(),
  tags: z.array(z.string()).optional(),
});

/** The parts of an OpenAPI 3.1 document that are read here. */
export const OpenapiDocument = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), Operation)).default({}),
  components: z
    .looseObject({
      schemas: z.record(z.string(), z.unknown()).default({}),
      securitySchemes: z.record(z.string(), z.unknown()).default({}),
    })
    .optional(),
});
export type OpenapiDocument = z.infer<typeof OpenapiDocument>;
