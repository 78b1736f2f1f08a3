/** Where a text stops being JSON, and why. `line` and `column` count from 1, `position` from 0. */
export type JsonFault = { position: number; line: number; column: number; reason: string };

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or }' | ', or ]' | 'end';

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\p{L}\p{N}_$-]+/uy;
const escapes = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * The first fault of a text that is not valid JSON, which `JSON.parse` reports without a position for some. Undefined for valid JSON.
 * Not `jsonc-parser`: it finds a bad escape or line break only at the start of its text, and nesting overflows its stack.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let index = 0;
  let comma = -1;
  const at = (position: number, reason: string): JsonFault => {
    const before = text.slice(0, position);
    return { position, line: before.split('\n').length, column: position - before.lastIndexOf('\n'), reason };
  };
  const afterValue = (): Expected => (open.length === 0 ? 'end' : open.at(-1) === '{' ? ', or }' : ', or ]');

  for (;;) {
    while (index < text.length && ' \t\r\n'.includes(text.charAt(index))) index += 1;
    const character = text.charAt(index);
    if (character === '') {
      if (expected === 'end') return undefined;
      const missing = open.toReversed().map((one) => (one === '{' ? '}' : ']'));
      return at(index, missing.length === 0 ? 'the text is empty' : `the text ends before ${missing.slice(0, 5).join('')}`);
    }
    if (expected === 'end') return at(index, 'there is more after the end of the value');
    const wantsValue: boolean = expected === 'value' || expected === 'value or ]';
    const wantsName: boolean = expected === 'name' || expected === 'name or }';

    if (character === '"' && (wantsValue || wantsName)) {
      const { end, fault } = endOfString(text, index + 1);
      if (fault !== undefined) return at(end, fault);
      index = end;
      expected = wantsName ? ':' : afterValue();
    } else if (wantsValue && (character === '{' || character === '[')) {
      open.push(character);
      index += 1;
      expected = character === '{' ? 'name or }' : 'value or ]';
    } else if ((character === '}' && /}$/.test(expected)) || (character === ']' && /\]$/.test(expected))) {
      open.pop();
      index += 1;
      expected = afterValue();
    } else if (character === ',' && /^,/.test(expected)) {
      comma = index;
      index += 1;
      expected = open.at(-1) === '{' ? 'name' : 'value';
    } else if (character === ':' && expected === ':') {
      index += 1;
      expected = 'value';
    } else if (wantsValue && /[-\d]/.test(character)) {
      const end = endOf(number, text, index);
      if (end === undefined || /[\w.]/.test(text.charAt(end))) return at(index, 'this is not a number of JSON');
      index = end;
      expected = afterValue();
    } else {
      const length = (endOf(word, text, index) ?? index) - index;
      const named = text.slice(index, index + length);
      if (!wantsValue || !['true', 'false', 'null'].includes(named)) {
        const isAfterComma = comma !== -1 && text.slice(comma + 1, index).trim() === '';
        return (character === '}' || character === ']') && isAfterComma
          ? at(comma, `remove the comma before ${character}`)
          : at(index, reasonFor(character, named, expected));
      }
      index += length;
      expected = afterValue();
    }
  }
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfString(text: string, from: number): { end: number; fault?: string } {
  for (let index = from; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') return { end: index + 1 };
    if (character < ' ') return { end: index, fault: 'a line break or control character in a text must be escaped, such as \\n' };
    if (character !== '\\') continue;
    const end = endOf(escapes, text, index);
    if (end === undefined) return { end: index, fault: 'this is not an escape of JSON; a backslash is \\\\' };
    index = end - 1;
  }
  return { end: text.length, fault: 'the text ends before the closing double quote' };
}

const wantedNow: Record<Expected, string> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  name: 'a name in double quotes',
  'name or }': 'a name in double quotes, or }',
  ':': 'a colon',
  ', or }': 'a comma or }',
  ', or ]': 'a comma or ]',
  end: 'the end',
};

const maxShown = 20;

function reasonFor(character: string, named: string, expected: Expected): string {
  if (character === "'") return 'use double quotes instead of single quotes';
  if (character === '/' || character === '#') return 'JSON has no comments';
  const found = (named || String.fromCodePoint(character.codePointAt(0) ?? 0)).slice(0, maxShown);
  return `expected ${wantedNow[expected]}, but found ${JSON.stringify(found)}`;
}
