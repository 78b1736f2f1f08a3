import { jsonLanguage } from '@codemirror/lang-json';

type Path = readonly (string | number)[];
type Cursor = ReturnType<ReturnType<typeof jsonLanguage.parser.parse>['cursor']>;

const values = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

/** Where the first mistake of the grammar is; undefined if there is none. */
export function mistakeIn(text: string): number | undefined {
  let at: number | undefined;
  jsonLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) at ??= node.from;
    },
  });
  return at;
}

/** Where the value at a path begins, or the innermost part of the path that exists. */
export function placeOf(text: string, path: Path): number {
  const cursor = jsonLanguage.parser.parse(text).cursor();
  cursor.firstChild();
  let at = cursor.from;
  for (const name of path) {
    if (!(typeof name === 'number' ? toItem(cursor, name) : toMember(cursor, name, text))) break;
    at = cursor.from;
  }
  return at;
}

const is = ({ name }: Cursor, type: string) => name === type;

function toItem(cursor: Cursor, index: number): boolean {
  if (!is(cursor, 'Array') || !cursor.firstChild()) return false;
  let at = -1;
  do {
    if (values.has(cursor.name)) at += 1;
    if (at === index) return true;
  } while (cursor.nextSibling());
  return false;
}

function toMember(cursor: Cursor, name: string, text: string): boolean {
  if (!is(cursor, 'Object') || !cursor.firstChild()) return false;
  do {
    if (!is(cursor, 'Property') || !cursor.firstChild()) continue;
    const isNamed = text.slice(cursor.from, cursor.to) === JSON.stringify(name);
    while (isNamed && cursor.nextSibling()) if (values.has(cursor.name)) return true;
    cursor.parent();
  } while (cursor.nextSibling());
  return false;
}
