/** The value at a path. Field names may contain dots, as the names of event properties do. */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  if (members.has(path)) return members.get(path);
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (members.has(name)) return valueAt(members.get(name), path.slice(dot + 1));
  }
  return undefined;
}
