import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type UserConfig } from '@hey-api/openapi-ts';
import { pascalCase } from './name-operations.ts';
import { type DocumentedOperation, last, type OpenapiDocument, type Schema } from './openapi-document.ts';

/** As openapi-ts does, which makes `Csv` of `CSV`. */
const typeName = (operationId: string) =>
  pascalCase(operationId).replaceAll(/[A-Z]+(?![a-z])/g, (capitals) => capitals.charAt(0) + capitals.slice(1).toLowerCase());

export const requestType = (operationId: string) => `${typeName(operationId)}Request`;
export const resultsType = (operationId: string) => `${typeName(operationId)}Results`;
export const resultType = (operationId: string) => `${typeName(operationId)}Result`;

/** Errors and headers have their own types in the client; repeated for each operation they would be half of the file. */
const withoutErrors = ({ responses = {}, parameters = [], ...operation }: DocumentedOperation): DocumentedOperation => ({
  ...operation,
  parameters: parameters.filter((parameter) => parameter.$ref === undefined && parameter.in !== 'header'),
  responses: Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2'))),
});

/** Without the lengths of arrays, of which the generator makes tuples: no array that a program computes is one, and openapi-fetch loses them. */
const withoutLengths = (document: OpenapiDocument): OpenapiDocument =>
  JSON.parse(JSON.stringify(document), (key, value) => (key === 'minItems' || key === 'maxItems' ? undefined : value));

const withFormerNames = (document: OpenapiDocument): OpenapiDocument =>
  JSON.parse(JSON.stringify(document), (_, value) => (typeof value?.properties === 'object' ? withEitherName(value) : value));

/** With either name of a renamed field that is required, so that programs from before it was renamed compile. */
function withEitherName(schema: Schema): Schema {
  const { properties = {}, required = [] } = schema;
  const renamed = Object.entries(properties).flatMap(([former, { 'x-renamed-to': name }]) =>
    name !== undefined && required.includes(name) && !required.includes(former) ? [[name, former]] : [],
  );
  if (renamed.length === 0) return schema;
  const { description, ...rest } = schema;
  const others = required.filter((name) => !renamed.some(([renamedTo]) => renamedTo === name));
  const oneOfThem = (names: readonly string[]) => ({
    anyOf: names.map((name) => ({ type: 'object', properties: { [name]: properties[name] ?? {} }, required: [name] })),
  });
  return { ...(description !== undefined && { description }), allOf: [{ ...rest, required: others }, ...renamed.map(oneOfThem)] };
}

/** With the webhooks in place, because the generator does not follow references to them. */
function simplified(document: OpenapiDocument): object {
  const { paths, webhooks = {}, ...rest } = withFormerNames(withoutLengths(document));
  const simple = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [method, withoutErrors(operation)]);
    return [path, Object.fromEntries(operations)];
  });
  const inPlace = Object.entries(webhooks).map(([type, { $ref }]) => [type, rest.components.pathItems?.[last($ref)]]);
  return { ...rest, paths: Object.fromEntries(simple), webhooks: Object.fromEntries(inPlace) };
}

/** The types of all schemas, requests and results of the document. */
export async function typesFile(document: OpenapiDocument): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-types-'));
  try {
    const config: UserConfig = {
      input: simplified(document),
      output: { path: folder, clean: false },
      logs: { level: 'silent' },
      plugins: [
        {
          name: '@hey-api/typescript',
          requests: { name: requestType, case: 'preserve' },
          responses: { name: resultsType, response: resultType, case: 'preserve' },
          errors: { name: '{{name}}Errors', error: '{{name}}Error' },
          webhooks: { name: '{{name}}WebhookRequest', payload: '{{name}}WebhookEvent' },
        },
      ],
    };
    await createClient(config);
    return await readFile(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
