import { z } from 'zod';
import type { Answer, Operation, Parameter } from '../routes/openapi-document.ts';

const strings = z.record(z.string(), z.string());

/** A request and its answer as they were recorded by `npm run examples`, by the operation's name. */
export const Examples = z.record(
  z.string(),
  z.object({
    params: strings.optional(),
    query: strings.optional(),
    body: z.unknown().optional(),
    status: z.number().int(),
    answer: z.unknown().optional(),
  }),
);
export type Examples = z.infer<typeof Examples>;

/** The operation with its example in the places where OpenAPI has them. */
export function withExample(operation: Operation, examples: Examples): Operation {
  const example = examples[operation.operationId ?? ''];
  if (!example) return operation;
  const { requestBody, parameters, responses } = operation;
  const given: Record<string, string | undefined> = { ...example.query, ...example.params };
  const answer = responses[example.status];
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((parameter) => withValue(parameter, given[parameter.name])) }),
    ...(requestBody &&
      example.body !== undefined && { requestBody: { ...requestBody, content: shown(requestBody.content, example.body) } }),
    ...(answer?.content &&
      example.answer !== undefined && {
        responses: { ...responses, [example.status]: { ...answer, content: shown(answer.content, example.answer) } },
      }),
  };
}

function withValue(parameter: Parameter, value: string | undefined): Parameter {
  if (value === undefined) return parameter;
  const isNumber = parameter.schema?.type === 'integer' || parameter.schema?.type === 'number';
  return { ...parameter, example: isNumber ? Number(value) : value };
}

/** In the first of the media types, which is the one that was sent. */
function shown(content: NonNullable<Answer['content']>, example: unknown): NonNullable<Answer['content']> {
  const [[type, media] = []] = Object.entries(content);
  return type === undefined ? content : { ...content, [type]: { ...media, example } };
}
