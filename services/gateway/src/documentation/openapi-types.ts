import { Scope } from '@mp/contracts/permissions';
import { z } from 'zod';

const methods = ['get', 'post', 'put', 'delete', 'patch'] as const;

/** A JSON Schema; each reader looks only at the keywords it knows. */
export const Schema = z.record(z.string(), z.unknown());
export type Schema = z.infer<typeof Schema>;

const Content = z.record(z.string(), z.looseObject({ schema: Schema.optional() }));
export const ResponseObject = z.looseObject({ description: z.string().optional(), content: Content.optional() });
export type ResponseObject = z.infer<typeof ResponseObject>;

export const Parameter = z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema: Schema.optional() });
export type Parameter = z.infer<typeof Parameter>;

/** The parts of an operation that are read here; everything else passes through unchanged. */
export const Operation = z.looseObject({
  'x-scope': Scope.nullable(),
  'x-body-limit': z.number().int().positive().optional(),
  /** Media types of a request body and of a response that are files. */
  'x-consumes': z.array(z.string()).optional(),
  'x-produces': z.array(z.string()).optional(),
  /** A POST that changes nothing. */
  'x-reads': z.boolean().optional(),
  /** A 404 for an ID in the query or the body. */
  'x-finds': z.boolean().optional(),
  /** Users of the dashboard prove a second factor again. */
  'x-step-up': z.boolean().optional(),
  /** Connected applications cannot use it. */
  'x-outlives-grants': z.boolean().optional(),
  /** Only for users who are signed in. */
  'x-people': z.boolean().optional(),
  /** It takes `If-Match`. */
  'x-if-match': z.boolean().optional(),
  operationId: z.string().optional(),
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(Parameter).optional(),
  requestBody: z.looseObject({ required: z.boolean().optional(), content: Content }).optional(),
  responses: z.record(z.string(), ResponseObject).default({}),
});
export type Operation = z.infer<typeof Operation>;

/** The parts of an OpenAPI 3.1 document that are read here. */
export const OpenapiDocument = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), Operation)).default({}),
  components: z
    .looseObject({
      schemas: z.record(z.string(), Schema).default({}),
      securitySchemes: z.record(z.string(), z.unknown()).default({}),
    })
    .optional(),
});
export type OpenapiDocument = z.infer<typeof OpenapiDocument>;
