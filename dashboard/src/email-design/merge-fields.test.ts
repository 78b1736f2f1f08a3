import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectInWords } from './merge-fields.ts';

test('a subject names its fields in words, and leaves other Liquid as it is', () => {
  const subject = `{{ contact.first_name | default: "there" }}, {{contact.attributes['pet name']}} and {{ contact.attributes.plan }}`;
  assert.equal(subjectInWords(subject), '[First name], [pet name] and [plan]');
  assert.equal(
    subjectInWords("Only {{ contact.first_name | default: 'you' }}: {{ contact.email | upcase }}"),
    'Only [First name]: {{ contact.email | upcase }}',
  );
  assert.equal(subjectInWords('Three workflows to try first'), 'Three workflows to try first');
});
