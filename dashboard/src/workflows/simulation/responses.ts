import { scalarOf } from '../../rules/value-text.ts';

/** What is captured from the response of a webhook: the JSON pointer of each value by its name. */
type Capture = Readonly<Record<string, string>>;

/** A response with these values, as typed by name, where their pointers expect them; undefined without any. */
export function responseWith(capture: Capture, values: Readonly<Record<string, string>>): unknown {
  const given = Object.entries(capture).flatMap(([name, pointer]) => {
    const text = values[name]?.trim() ?? '';
    return text === '' ? [] : [{ path: partsOf(pointer), value: scalarOf(text) }];
  });
  const response: Record<string, unknown> = {};
  for (const { path, value } of given) {
    let place = response;
    for (const part of path.slice(0, -1)) {
      const inner = Object.hasOwn(place, part) ? place[part] : undefined;
      const next = isObject(inner) ? inner : {};
      place[part] = next;
      place = next;
    }
    place[path.at(-1) ?? ''] = value;
  }
  return given.length > 0 ? response : undefined;
}

const partsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
