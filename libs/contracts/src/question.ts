import type { z } from 'zod';

/** A typed request from one service to another (NATS request/reply). Subjects begin with `rpc.`, which no stream stores. */
export type RequestType<Ask extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> = {
  subject: string;
  meaning: string;
  ask: Ask;
  answer: Answer;
};

export const defineRequest = <Ask extends z.ZodType, Answer extends z.ZodType>(
  name: string,
  version: number,
  meaning: string,
  ask: Ask,
  answer: Answer,
): RequestType<Ask, Answer> => ({ subject: `rpc.${name}.v${version}`, meaning, ask, answer });
