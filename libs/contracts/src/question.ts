import type { z } from 'zod';

/** A typed request from one service to another (NATS request/reply). Subjects begin with `rpc.`, which no stream stores. */
export type RequestType<Ask extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> = {
  subject: string;
  meaning: string;
  ask: Ask;
  answer: Answer;
};

export const defineRequest = <Ask extends z.ZodType, Answer extends z.ZodType>({
  name,
  version,
  ...request
}: Omit<RequestType<Ask, Answer>, 'subject'> & { name: string; version: number }): RequestType<Ask, Answer> => ({
  ...request,
  subject: `rpc.${name}.v${version}`,
});
