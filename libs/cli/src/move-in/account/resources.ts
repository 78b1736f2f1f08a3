import { type Kind, kinds } from '../../move-out/kinds.ts';

type Row = Record<string, unknown>;

/** A resource of the export: its kind, the ID and name it had, and the request that creates it. */
export type Resource = { kind: Kind; id: string; name: string; body: Row; isArchived: boolean };

const idPattern = /\b(?:coupon|template|segment|form|campaign|workflow|goal|site)_[0-9a-z]{26}\b/g;

/** The IDs of other resources in a text. */
export const idsIn = (text: string): string[] => text.match(idPattern) ?? [];

/** The same value with the IDs and URLs of this account instead of those of the exported one. */
export function replaced<Value>(value: Value, known: ReadonlyMap<string, string>): Value {
  const given = JSON.stringify(value);
  // Most contacts have neither.
  if (!/_[0-9a-z]{26}\b|https?:/.test(given)) return value;
  let text = given.replaceAll(idPattern, (id) => known.get(id) ?? id);
  for (const [from, to] of known) if (from.includes('/')) text = text.replaceAll(from, () => to);
  return JSON.parse(text);
}

const own = (row: Row, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => row[name] !== undefined && row[name] !== null).map((name) => [name, row[name]]));

/** HTML that comes from MJML or from a template is not sent, because the platform makes it again. */
function contentOf(row: Row, fields: readonly string[], exported: ReadonlySet<string>): readonly string[] {
  const fromTemplate = typeof row.template_id === 'string' && exported.has(row.template_id);
  const compiled = row.mjml === null || row.mjml === undefined ? [] : ['html'];
  const overrides = Array.isArray(row.overrides) ? row.overrides : [];
  const content = ['subject', 'preview_text', 'html', 'mjml', 'text', 'design'];
  const fromIt = fromTemplate ? content.filter((name) => !overrides.includes(name)) : ['template_id', 'overrides'];
  return fields.filter((name) => ![...compiled, ...fromIt].includes(name));
}

/** What an exported row becomes. Campaigns and workflows become drafts, and webhooks are disabled: nothing starts by itself. */
export function resourceOf(kind: Kind, row: Row, exported: ReadonlySet<string>): Resource {
  const body: Row = own(row, contentOf(row, kind.fields, exported));
  if (kind.name === 'segments' && row.kind === 'static') delete body.definition;
  if (kind.name === 'webhooks') body.status = 'disabled';
  if (kind.name === 'workflows') {
    body.status = 'draft';
    delete Object(body.trigger).url;
  }
  const isArchived = row.status === 'archived' || typeof row.archived_at === 'string';
  return { kind, id: String(row.id), name: String(row.name ?? row.url), body, isArchived };
}

/** Those that are archived the same way. */
export const archivable = new Set(['segments', 'forms', 'workflows']);

/** In an order in which each comes after what it refers to. Those that refer to each other in a circle come last, as they are. */
export function inOrder(resources: readonly Resource[]): Resource[] {
  const waiting = new Map(resources.map((resource) => [resource.id, resource]));
  const ordered: Resource[] = [];
  for (let found = true; found; ) {
    found = false;
    for (const [id, resource] of waiting) {
      if (idsIn(JSON.stringify(resource.body)).some((other) => other !== id && waiting.has(other))) continue;
      waiting.delete(id);
      ordered.push(resource);
      found = true;
    }
  }
  return [...ordered, ...waiting.values()];
}

export const kindOf = (name: string): Kind | undefined => kinds.find((kind) => kind.name === name);
