import type { OpenapiDocument } from '../libs/sdk/generate/openapi-document.ts';

type Row = { operation: string; oldName: string; newName: string };

/** The page that lists the old name of every renamed field and parameter, by operation. */
export function renamedPage(document: OpenapiDocument, head: string): string {
  const rows = new Map<string, Row & { operations: Set<string> }>();
  const add = (row: Row) => {
    const key = `${row.oldName} ${row.newName}`;
    const known = rows.get(key) ?? { ...row, operations: new Set<string>() };
    known.operations.add(row.operation);
    rows.set(key, known);
  };
  for (const operations of Object.values(document.paths))
    for (const { operationId = '', ...operation } of Object.values(operations)) collect(document, operation, operationId, add, new Set());
  const sorted = [...rows.values()].toSorted((one, other) => one.oldName.localeCompare(other.oldName));
  const lines = sorted.map(
    ({ oldName, newName, operations }) =>
      `| \`${oldName}\` | \`${newName}\` | ${[...operations]
        .sort()
        .map((id) => `\`${id}\``)
        .join(', ')} |`,
  );
  return `# Renamed fields\n\n${head}\nOld names keep working in \`/v2\`. Responses have both names; requests accept either, and both while they agree: if they differ, the response is 400 with the code \`names_differ\`. To change what GET returned and send it back, change or remove both. Events and webhooks keep their fields. The OpenAPI document marks old names as \`deprecated\`.\n\n| old name | new name | operations |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
}

function collect(document: OpenapiDocument, value: unknown, operation: string, add: (row: Row) => void, seen: Set<string>) {
  if (typeof value !== 'object' || value === null) return;
  if ('$ref' in value && typeof value.$ref === 'string') {
    const name = value.$ref.replace('#/components/schemas/', '');
    if (!seen.has(name)) collect(document, document.components.schemas?.[name], operation, add, seen.add(name));
    return;
  }
  const schema = 'schema' in value ? value.schema : undefined;
  if ('name' in value && typeof value.name === 'string' && isRenamed(schema))
    add({ operation, oldName: value.name, newName: schema['x-renamed-to'] });
  for (const [name, member] of Object.entries(value)) {
    if (name === 'example' || name === 'examples') continue;
    if (isRenamed(member) && name !== 'schema') add({ operation, oldName: name, newName: member['x-renamed-to'] });
    collect(document, member, operation, add, seen);
  }
}

const isRenamed = (value: unknown): value is { 'x-renamed-to': string } =>
  typeof value === 'object' && value !== null && 'x-renamed-to' in value && typeof value['x-renamed-to'] === 'string';
