import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

type Schema = { [keyword: string]: unknown };
type GroupVersionKind = { group: string; version: string; kind: string };

/** The definitions of custom resources that deploy/k8s/install-tools.sh installs. */
export const customResources = [
  'monitoring.coreos.com_servicemonitors.yaml',
  'monitoring.coreos.com_prometheusrules.yaml',
  'gateway.networking.k8s.io_httproutes.yaml',
  'keda.sh_scaledobjects.yaml',
] as const;

/** The file names that kubeconform expects in `-schema-location`. */
export const schemaFiles = '{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json';
const fileOf = ({ kind, version }: GroupVersionKind) => `${kind.toLowerCase()}_${version}.json`;

/** Writes a closed schema for each kind, from the published API of Kubernetes and the custom resource definitions. */
export async function writeSchemas(tools: string, kinds: ReadonlySet<string>, folder: string) {
  const { definitions }: { definitions: Record<string, Schema> } = JSON.parse(await readFile(join(tools, 'kubernetes.json'), 'utf8'));
  for (const [name, definition] of Object.entries(definitions)) {
    for (const known of groupsOf(definition)) {
      if (!kinds.has(known.kind)) continue;
      const used = usedBy(name, definitions);
      const closed = Object.fromEntries([...used].map((part) => [part, close(definitions[part])]));
      await writeFile(join(folder, fileOf(known)), JSON.stringify({ $ref: `#/definitions/${name}`, definitions: closed }));
    }
  }
  for (const definition of customResources) {
    const { spec } = parse(await readFile(join(tools, definition), 'utf8'));
    if (!kinds.has(spec.names.kind)) continue;
    for (const { name: version, schema } of spec.versions) {
      await writeFile(
        join(folder, fileOf({ group: spec.group, version, kind: spec.names.kind })),
        JSON.stringify(close(schema.openAPIV3Schema)),
      );
    }
  }
}

function groupsOf(definition: Schema): GroupVersionKind[] {
  const groups = definition['x-kubernetes-group-version-kind'];
  return Array.isArray(groups) ? groups : [];
}

function usedBy(name: string, definitions: Record<string, Schema>, used = new Set<string>()): Set<string> {
  if (used.has(name)) return used;
  used.add(name);
  for (const [, next = ''] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g)) usedBy(next, definitions, used);
  return used;
}

/** Rejects unknown fields, so that a misspelt one is found. The API server would drop it. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed: Schema = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, close(value)]));
  const { format } = closed;
  if (format === 'int-or-string' || closed['x-kubernetes-int-or-string']) return { oneOf: [{ type: 'string' }, { type: 'integer' }] };
  const isObject = typeof closed.properties === 'object' && closed.properties !== null && closed.additionalProperties === undefined;
  const isSchema = closed.type === 'object' || closed.type === undefined;
  return isObject && isSchema && !closed['x-kubernetes-preserve-unknown-fields'] ? { ...closed, additionalProperties: false } : closed;
}
