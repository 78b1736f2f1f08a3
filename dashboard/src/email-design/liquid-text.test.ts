import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOfTag, pastedTags, typedTag } from './liquid-text.ts';

test('a merge tag that is typed or pasted is recognized with its fallback; other Liquid stays text', () => {
  const text = `Hi {{ contact.first_name | default: "it's you" }} and {{contact.attributes['sign-up']|default:'"x"'}}, {{ data.order-id }}
    {{ responses.score.value }} {{ data["a b"].c }} {{ unsubscribe_url }} {{ campaign.name }} {{ contact.email | upcase }} {{ contact }}`;
  assert.deepEqual([...text.matchAll(pastedTags)].map(partsOfTag), [
    { field: 'contact.first_name', fallback: "it's you" },
    { field: "contact.attributes['sign-up']", fallback: '"x"' },
    { field: 'data.order-id', fallback: '' },
    { field: 'responses.score.value', fallback: '' },
    { field: 'data["a b"].c', fallback: '' },
    { field: 'unsubscribe_url', fallback: '' },
  ]);
  assert.deepEqual([typedTag.test('Hi {{ data.plan }}'), typedTag.test('{{ data.plan }} now')], [true, false]);
});
