import { pascalCase } from './name-operations.ts';
import { last, type OpenapiDocument, type Parameter, resolved, type Schema } from './openapi-document.ts';
import { createPythonTypes, docstring, snakeCase } from './python-types.ts';
import { type Operation, readOperations } from './read-operations.ts';

type Types = ReturnType<typeof createPythonTypes>;

const isTime = ({ schema = {} }: Parameter) => [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === 'date-time');

/** What a method returns: the `data` of the response, or all of it where it has no envelope; of a list, its items. */
function resultOf(document: OpenapiDocument, { path, httpMethod, returns, cursorIn }: Operation): Schema {
  const responses = document.paths[path]?.[httpMethod.toLowerCase()]?.responses ?? {};
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = success?.content?.['application/json']?.schema ?? {};
  if (returns !== 'data') return schema;
  const data = resolved(document, schema).properties?.data ?? {};
  return cursorIn ? (resolved(document, data).properties?.items?.items ?? {}) : data;
}

/** With the names of this package's types in their module. */
const qualified = (type: string) =>
  type.replaceAll(/"[^"]*"|\b[A-Z]\w*/g, (word) => (/^("|Any$|None$|Literal$|True$|False$)/.test(word) ? word : `t.${word}`));

function methodOf(document: OpenapiDocument, types: Types, operation: Operation, isAsync: boolean): string {
  const { operationId, method, httpMethod, path, parameters, body, query, returns, cursorIn } = operation;
  const name = pascalCase(operationId);
  const args: string[] = ['self'];
  const ids = parameters.map(({ name: id = '' }) => id);
  args.push(...ids.map((id) => `${snakeCase(id)}: str`));
  const url = ids.reduce((text, id) => text.replace(`{${id}}`, `{segment(${snakeCase(id)})}`), path);
  const fields = [`"${httpMethod}"`, `${ids.length > 0 ? 'f' : ''}"${url}"`];
  if (body?.kind === 'file') {
    args.push('content: Content', `content_type: Literal[${body.types.map((type) => `"${type}"`).join(', ')}] = "${body.types[0]}"`);
    fields.push('content=content', 'content_type=content_type');
  } else if (body) {
    const type = types.typeOf(body.media.schema ?? {}, `${name}Request`);
    const typed = /^\w+$/.test(type) && /^[A-Z]/.test(type) && type !== 'Any' ? `t.${type}` : `t.${types.alias(`${name}Request`, type)}`;
    args.push(`body: ${typed}${body.required ? '' : ' | None = None'}`);
    fields.push(body.kind === 'json' ? 'body=body' : 'form=body');
  }
  const own = query.filter(({ deprecated }) => deprecated !== true);
  args.push('*');
  // Those that are required come first, because the others have defaults.
  for (const one of own.toSorted((a, b) => Number(b.required === true) - Number(a.required === true))) {
    const plain = types.typeOf(one.schema ?? {}, `${name}${pascalCase(one.name ?? '')}`);
    const type = isTime(one) ? `${qualified(plain)} | datetime` : qualified(plain);
    args.push(one.required ? `${snakeCase(one.name ?? '')}: ${type}` : `${snakeCase(one.name ?? '')}: ${type} | None = None`);
  }
  args.push('options: Options | None = None');
  if (own.length > 0) fields.push(`query={${own.map(({ name: key = '' }) => `"${key}": ${snakeCase(key)}`).join(', ')}}`);
  if (operation.idempotencyKey) fields.push('is_write=True');
  if (operation.isPublic) fields.push('is_public=True');
  const request = `Request(${fields.join(', ')})`;

  const result = types.typeOf(resultOf(document, operation), `${name}Result`);
  const typed = /^[A-Z]\w+$/.test(result) && result !== 'Any' ? `t.${result}` : `t.${types.alias(`${name}Result`, result)}`;
  const [lists, download] = isAsync ? ['AsyncItems', 'AsyncDownload'] : ['Items', 'Download'];
  const wait = isAsync ? 'await ' : '';
  const [prefix, type, expression] =
    returns === 'file'
      ? ['def', download, `${download}(self._client, ${request}, options)`]
      : returns === 'nothing'
        ? [isAsync ? 'async def' : 'def', 'None', `${wait}self._client.send(${request}, options)`]
        : cursorIn
          ? ['def', `${lists}[${typed}]`, `${lists}(self._client, ${request}, options)`]
          : [isAsync ? 'async def' : 'def', typed, `cast("${typed}", ${wait}self._client.send(${request}, options))`];
  const about = [operation.summary.replace(/\.?$/, '.'), operation.description, `\`${httpMethod} ${path}\``].filter((text) => text !== '');
  const returned = type === 'None' ? expression : `return ${expression}`;
  return `    ${prefix} ${snakeCase(method)}(\n        ${args.join(',\n        ')},\n    ) -> ${type}:\n        ${docstring(about.join('\n\n'), 8)}\n        ${returned}`;
}

function resources(document: OpenapiDocument, types: Types, isAsync: boolean): string {
  const operations = readOperations(document);
  const classes: string[] = [];
  const before = isAsync ? 'Async' : '';
  function classFor(namespace: readonly string[]): string {
    const name = `${before}${namespace.length === 0 ? 'Resources' : pascalCase(namespace.join(' '))}`;
    const isChild = (other: readonly string[]) =>
      other.length > namespace.length && namespace.every((part, index) => part === other[index]);
    const inside = operations.map((operation) => operation.namespace).filter(isChild);
    const children = [...new Set(inside.map((path) => path[namespace.length] ?? ''))].sort();
    const fields = children.map((child) => `        self.${snakeCase(child)} = ${classFor([...namespace, child])}(client)`);
    const methods = operations.filter((one) => one.namespace.join('.') === namespace.join('.'));
    const init =
      `    def __init__(self, client: ${before}Transport) -> None:\n        self._client = client\n${fields.join('\n')}`.trimEnd();
    classes.push(`class ${name}:\n${[init, ...methods.map((one) => methodOf(document, types, one, isAsync))].join('\n\n')}`);
    return name;
  }
  classFor([]);
  return (
    `"""Generated by \`npm run generate\` from the OpenAPI document."""

# ruff: noqa
from __future__ import annotations

from datetime import datetime
from typing import Any, List, Literal, cast

from .. import types as t
from ..items import ${before}Items
from ..request import Content, Options, Request, segment
from ..transport import ${before}Download, ${before}Transport

${classes.join('\n\n')}
`
      // A method called \`list\` would hide the type in its class.
      .replaceAll(/\blist\[/g, 'List[')
  );
}

/** The events of webhooks, by their type. */
function addEvents(document: OpenapiDocument, types: Types) {
  const schemas = Object.values(document.webhooks ?? {}).flatMap(({ $ref }) => {
    const operation = document.components.pathItems?.[last($ref)]?.post;
    return operation?.requestBody?.content?.['application/json']?.schema ?? [];
  });
  types.alias('WebhookEvent', schemas.map((schema, index) => types.typeOf(schema, `WebhookEvent${index}`)).join(' | '));
}

/** The generated part of the Python SDK, by file name. */
export function pythonFiles(document: OpenapiDocument): [string, string][] {
  const types = createPythonTypes(document);
  const files = [
    ['resources.py', resources(document, types, false)],
    ['async_resources.py', resources(document, types, true)],
  ] as const;
  addEvents(document, types);
  return [...files.map(([name, text]): [string, string] => [`generated/${name}`, text]), ['types.py', types.file()]];
}
