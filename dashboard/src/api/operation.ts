import type { Failure } from '@marketing-platform/sdk';

type RequestBody<Request> = Request extends { body?: never }
  ? { requestBody?: never }
  : {
      [Key in keyof Request as Key extends 'body' ? 'requestBody' : never]: { content: { 'application/json': NonNullable<Request[Key]> } };
    };

/** An operation as openapi-fetch describes it, from the types of its request and of its responses by status. */
export type Operation<Request extends { path?: unknown; query?: unknown }, Results> = RequestBody<Request> & {
  parameters: Pick<Request, 'path' | 'query'>;
  responses: { [Status in keyof Results]: { content: { 'application/json': Results[Status] } } } & {
    default: { content: { 'application/json': Failure } };
  };
};
