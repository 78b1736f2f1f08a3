import type { z } from 'zod';

/** A typed request from one service to another (NATS request/reply). Subjects begin with `rpc.`, which no stream stores. */
export type RequestType<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> = {
  subject: string;
  meaning: string;
  request: Request;
  reply: Reply;
};

export const defineRequest = <Request extends z.ZodType, Reply extends z.ZodType>({
  name,
  version,
  ...schemas
}: Omit<RequestType<Request, Reply>, 'subject'> & { name: string; version: number }): RequestType<Request, Reply> => ({
  ...schemas,
  subject: `rpc.${name}.v${version}`,
});
