import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonFault } from './json-fault.ts';

const said = (text: string) => {
  const fault = jsonFault(text);
  return fault && `${fault.line}:${fault.column} ${fault.reason}`;
};

test('says where a text stops being JSON, and what would be right', () => {
  assert.equal(said('{"a": [1, -2.5e3, true, null, "x\\u00e9"], "b": {}}'), undefined);
  assert.equal(said('{\n  "email": "a@example.com",\n}'), '2:27 remove the comma before }');
  assert.equal(said('[1, ]'), '1:3 remove the comma before ]');
  assert.equal(said("{'a': 1}"), '1:2 use double quotes instead of single quotes');
  assert.equal(said('{a: 1}'), '1:2 expected a name in double quotes, or }, but found "a"');
  assert.equal(said('{"a": nope}'), '1:7 expected a value, but found "nope"');
  assert.equal(said('{"a" 1}'), '1:6 expected a colon, but found "1"');
  assert.equal(said('{"a": 1 "b": 2}'), '1:9 expected a comma or }, but found "\\""');
  assert.equal(said('{"a": {"b": [1'), '1:15 the text ends before ]}}');
  assert.equal(said('{"a": "b'), '1:9 the text ends before the closing double quote');
  assert.equal(said('{"a": "b\nc"}'), '1:9 a line break or control character in a text must be escaped, such as \\n');
  assert.equal(said('{"a": "C:\\dir"}'), '1:10 this is not an escape of JSON; a backslash is \\\\');
  assert.equal(said('{"a": 012}'), '1:7 this is not a number of JSON');
  assert.equal(said('{} {}'), '1:4 there is more after the end of the value');
  assert.equal(said('{"a": 1} // done'), '1:10 there is more after the end of the value');
  assert.equal(said('name=Ada'), '1:1 expected a value, but found "name"');
});

test('reads a body that only opens lists, however many', () => {
  const text = '['.repeat(1_000_000);
  assert.deepEqual(jsonFault(text)?.position, text.length);
});

test('finds a fault exactly in what JSON.parse rejects', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '0', '-', '.', 'e', 'x', ' ', '\n', '\u0000', '\u2028'))
    .map(([text, place, inserted]) => {
      const index = place % (text.length + 1);
      return text.slice(0, index) + inserted + text.slice(index + (place % 2));
    });
  fc.assert(fc.property(fc.oneof(fc.json(), broken, fc.string()), (text) => (jsonFault(text) === undefined) === isJson(text)));
});
