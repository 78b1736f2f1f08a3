import { camelCase } from '../libs/sdk/generate/name-operations.ts';
import type { OpenapiDocument } from '../libs/sdk/generate/openapi-document.ts';
import { snakeCase } from '../libs/sdk/generate/python-types.ts';
import { type Operation, readOperations } from '../libs/sdk/generate/read-operations.ts';

/** The page that gives the method of each SDK for every operation: not every name follows from the path. */
export function sdkMethodsPage(document: OpenapiDocument, head: string): string {
  const byNoun = Map.groupBy(readOperations(document), ({ namespace: [noun = ''] }) => noun);
  const sections = [...byNoun].map(([noun, operations]) => {
    const rows = operations.map(
      (operation) => `| ${nameOf(operation)} | ${callOf(operation, camelCase)} | ${callOf(operation, snakeCase)} |`,
    );
    return `## mp.${noun}\n\n| operation | TypeScript | Python |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# SDK methods\n\n${head}\nThe method of the [TypeScript SDK](../libs/sdk/README.md) and the [Python SDK](../libs/sdk-python/README.md) for every operation. In TypeScript, a query follows the arguments that are shown as one object, and options come last; in Python, both are named arguments.\n\n${sections.join('\n')}`;
}

const nameOf = ({ httpMethod, path, summary }: Operation) => `\`${httpMethod} ${path}\` ${summary.replaceAll('|', '\\|')}`;

function callOf({ namespace, method, parameters, body }: Operation, nameIn: (name: string) => string): string {
  const given = body && { json: 'body', form: 'form', file: 'file' }[body.kind];
  const args = [...parameters.map(({ name = '' }) => nameIn(name)), ...(given ? [given] : [])];
  return `\`mp.${[...namespace, method].map(nameIn).join('.')}(${args.join(', ')})\``;
}
