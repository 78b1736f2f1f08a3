import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contact } from '@mp/contracts/contact';
import { aContact } from '@mp/test-kit/a-contact';
import { z } from 'zod';
import { checkMessage } from './check-message.ts';
import { contactScope, isKnownField } from './fields.ts';
import { compileMessage, renderMessage } from './render-message.ts';

const key = 'key';

/** The paths of every value in a schema; `key` is the key in records. */
function pathsOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return pathsOf(schema.unwrap());
  if (schema instanceof z.ZodRecord) return under(key, schema.valueType);
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape).flatMap(([name, field]) => under(name, field));
  return [''];
}
const under = (name: string, schema: z.core.$ZodType) => pathsOf(schema).map((path) => (path === '' ? name : `${name}.${path}`));

test('a template can read and render every field of a contact', () => {
  const at = '2026-03-01T10:00:00.000Z';
  const consent = { status: 'subscribed', at, method: 'form' } as const;
  const text = 'text';
  const contact = aContact({
    ...{ external_id: text, email: 'ada@example.com', phone: '+4930123456', first_name: text, last_name: text, company: text },
    ...{ job_title: text, locale: 'de', timezone: 'Europe/Berlin', tags: ['vip'], attributes: { key: text }, last_seen_at: at },
    address: { line1: text, line2: text, city: text, region: text, postal_code: text, country: 'DE' },
    consent: { email: consent, sms: consent, topics: { key: { email: consent, sms: consent } } },
  });
  const scope = { contact: contactScope(contact), campaign: { name: 'C' }, unsubscribe_url: 'https://mail.test/t/u' };
  for (const path of pathsOf(Contact)) {
    const templates = { subject: `{{ contact.${path} }}`, preview_text: null, html: '<p>Hi</p>', text: null };
    assert.deepEqual(checkMessage(templates), [], path);
    assert.notEqual(renderMessage(compileMessage(templates), scope).subject, '', path);
  }
});

test('a template cannot read what a contact does not have', () => {
  for (const path of ['consent.fax.status', 'consent.email.reason', 'consent.topics.news.fax', 'consent', 'address', 'status.x', 'nothing'])
    assert.equal(isKnownField(['contact', ...path.split('.')]), false, path);
  assert.equal(isKnownField(['contact', 'consent', 'topics', 'news', 'email']), true, 'whether there is one');
});
