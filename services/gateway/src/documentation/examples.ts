import { z } from 'zod';
import type { Operation, Parameter, ResponseObject } from './openapi-types.ts';

const strings = z.record(z.string(), z.string());

const json = 'application/json';

/**
 * Requests and responses recorded by `npm run examples`, by operation ID: the first of each status and media type. `type` is
 * the media type of the request, `media` that of the response; both default to JSON.
 */
export const Examples = z.record(
  z.string(),
  z.array(
    z.object({
      params: strings.optional(),
      query: strings.optional(),
      body: z.unknown().optional(),
      type: z.string().default(json),
      status: z.number().int(),
      media: z.string().default(json),
      answer: z.unknown().optional(),
    }),
  ),
);
export type Examples = z.infer<typeof Examples>;

/** The operation with its recorded examples in its parameters, request body and responses. */
export function withExample(operation: Operation, examples: Examples): Operation {
  const recorded = examples[operation.operationId ?? ''] ?? [];
  const { requestBody, parameters, responses } = operation;
  const given: Record<string, string | undefined> = { ...recorded[0]?.query, ...recorded[0]?.params };
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((parameter) => withValue(parameter, given[parameter.name])) }),
    ...(requestBody && {
      requestBody: { ...requestBody, content: shown(requestBody.content, (media) => recorded.find(({ type }) => type === media)?.body) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content, ...response }]) => {
        const of = (media: string) => recorded.find((one) => one.status === Number(status) && one.media === media)?.answer;
        return [status, content ? { ...response, content: shown(content, of) } : response];
      }),
    ),
  };
}

function withValue(parameter: Parameter, value: string | undefined): Parameter {
  if (value === undefined) return parameter;
  const isNumber = parameter.schema?.type === 'integer' || parameter.schema?.type === 'number';
  return { ...parameter, example: isNumber ? Number(value) : value };
}

function shown(
  content: NonNullable<ResponseObject['content']>,
  exampleOf: (media: string) => unknown,
): NonNullable<ResponseObject['content']> {
  return Object.fromEntries(
    Object.entries(content).map(([media, described]) => {
      const example = exampleOf(media);
      return [media, example === undefined ? described : { ...described, example }];
    }),
  );
}
