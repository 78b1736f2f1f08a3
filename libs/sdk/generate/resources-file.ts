import { camelCase, pascalCase } from './name-operations.ts';
import type { OpenapiDocument, Parameter } from './openapi-document.ts';
import { type Operation, readOperations } from './read-operations.ts';
import { requestType, resultType } from './types-file.ts';

/** Hand-written classes that a namespace extends. */
const bases: Record<string, { name: string; from: string }> = {
  webhooks: { name: 'WebhookResource', from: '../webhook-resource.ts' },
};

/** Types of bodies that say more than the document does. */
const bodies: Record<string, string> = { createWebhook: 'WithEvents', updateWebhook: 'WithEvents' };

const isTime = ({ schema = {} }: Parameter) => [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === 'date-time');

type Method = { line: string; types: string[] };

const comment = ({ summary, description, scope, httpMethod, path }: Operation) => {
  const lines = [
    summary.replace(/\.?$/, '.'),
    ...(description ? ['', ...description.split('\n')] : []),
    '',
    `\`${httpMethod} ${path}\`${scope ? ` · scope \`${scope}\`` : ''}`,
  ];
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n   */`;
};

/** `path.id, path.contact_id, body, query, options`: the arguments of every method, in this order. */
function methodOf(operation: Operation): Method {
  const { method, httpMethod, path, parameters, body, query, returns, cursorIn, operationId } = operation;
  const [request, result] = [requestType(operationId), resultType(operationId)];
  const types: string[] = [];
  const needs = (type: string) => {
    if (!types.includes(type)) types.push(type);
    return type;
  };
  const ids = parameters.map(({ name = '' }) => ({ name, argument: camelCase(name) }));
  const url = ids.reduce((text, { name, argument }) => text.replace(`{${name}}`, `\${segment(${argument})}`), path);
  const fields = [`method: '${httpMethod}'`, `path: ${ids.length > 0 ? `\`${url}\`` : `'${url}'`}`];
  const args = ids.map(({ argument }) => `${argument}: string`);

  if (body?.kind === 'file') {
    const [type = ''] = body.types;
    args.push(`file: { body: FileBody; type?: ${body.types.map((one) => `'${one}'`).join(' | ')} }`);
    fields.push(`file: { type: '${type}', ...file }`);
  } else if (body) {
    const type = `${needs(request)}['body']`;
    const wrapper = bodies[operationId];
    args.push(`${body.kind}${body.required ? '' : '?'}: ${wrapper ? `${wrapper}<NonNullable<${type}>>` : type}`.replace(/^json/, 'body'));
    fields.push(body.kind === 'json' ? 'body' : 'form');
  }
  if (query.length > 0) {
    const isRequired = query.some(({ required }) => required === true);
    const type = `${needs(request)}['query']`;
    const times = query.filter(isTime).map(({ name }) => `'${name}'`);
    args.push(`query${isRequired ? '' : '?'}: ${times.length > 0 ? `WithDates<NonNullable<${type}>, ${times.join(' | ')}>` : type}`);
    fields.push('query');
  }
  if (operation.idempotencyKey) fields.push('isWrite: true');
  if (operation.isPublic) fields.push('isPublic: true');
  args.push('options?: RequestOptions');
  const call = `{ ${fields.join(', ')} }, options`;

  const [type, expression] =
    returns === 'file'
      ? ['Promise<Response>', `this.client.response(${call})`]
      : returns === 'nothing'
        ? ['Promise<void>', `this.client.nothing(${call})`]
        : cursorIn
          ? [`List<Item<${needs(result)}>, Data<${result}>>`, `listOf(this.client, ${call})`]
          : [`Promise<Data<${needs(result)}>>`, `this.client.json(${call})`];
  return { line: `${comment(operation)}\n  ${method}(${args.join(', ')}): ${type} {\n    return ${expression};\n  }`, types };
}

/** The classes with a method for each operation, one class per namespace. */
export function resourcesFile(document: OpenapiDocument): string {
  const operations = readOperations(document);
  const types = new Set<string>();
  const classes: string[] = [];

  function classFor(namespace: readonly string[]): string {
    const key = namespace.join('.');
    const name = namespace.length === 0 ? 'Resources' : pascalCase(namespace.join(' '));
    const isChild = (other: readonly string[]) =>
      other.length > namespace.length && namespace.every((part, index) => part === other[index]);
    const paths = [...operations.map((operation) => operation.namespace), ...Object.keys(bases).map((base) => base.split('.'))];
    const children = [...new Set(paths.filter(isChild).map((path) => path[namespace.length] ?? ''))].sort();
    const fields = children.map((child) => `  readonly ${child} = new ${classFor([...namespace, child])}(this.client);`);
    const methods = operations.filter((operation) => operation.namespace.join('.') === key).map(methodOf);
    for (const method of methods) for (const type of method.types) types.add(type);
    classes.push(
      `export class ${name} extends ${bases[key]?.name ?? 'Resource'} {\n${[...fields, ...methods.map(({ line }) => line)].join('\n\n')}\n}`,
    );
    return name;
  }

  classFor([]);
  return `// Generated by \`npm run generate\` from the OpenAPI document.
import { type FileBody, type RequestOptions, Resource, segment, type WithDates } from '../client.ts';
import { type List, listOf } from '../list.ts';
import type { WithEvents } from '../webhook-event.ts';
${Object.values(bases)
  .map(({ name, from }) => `import { ${name} } from '${from}';`)
  .join('\n')}
import type {
${[...types]
  .sort()
  .map((type) => `  ${type},`)
  .join('\n')}
} from './types.gen.ts';

/** What a method returns: the \`data\` of the response, or all of it where it has no envelope. */
export type Data<Body> = Body extends { success: boolean; data: infer Inner } ? Inner : Body;

/** An item of a list. */
export type Item<Body> = Data<Body> extends { items: (infer One)[] } ? One : never;

${classes.join('\n\n')}
`;
}
