import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { setValidationMessages } from './validation-messages.ts';

setValidationMessages();

const Person = z.strictObject({ first_name: z.string().optional(), role: z.enum(['viewer', 'editor']).optional() });
const messageOf = (value: unknown) => Person.safeParse(value).error?.issues[0]?.message;

test('suggests the nearest valid name for an unknown field or value, and none if no name is similar', () => {
  assert.equal(messageOf({ firstname: 'Ada' }), 'Unrecognized key: "firstname". Did you mean "first_name"?');
  assert.equal(messageOf({ zzz: 1 }), 'Unrecognized key: "zzz".');
  assert.equal(messageOf({ role: 'Editor' }), 'Expected one of "viewer", "editor". Did you mean "editor"?');
  assert.equal(messageOf({ role: 'owner-of-it-all' }), 'Expected one of "viewer", "editor".');
});

test('suggests the nearest type of an object, such as a step, an occurrence or a trigger', () => {
  const Step = z.discriminatedUnion('type', [z.object({ type: z.literal('wait_until') }), z.object({ type: z.literal('send') })]);
  const said = (value: unknown) => Step.safeParse(value).error?.issues[0]?.message;
  assert.equal(said({ type: 'sent' }), 'Expected one of "wait_until", "send". Did you mean "send"?');
  assert.equal(said({ type: 'email' }), 'Expected one of "wait_until", "send".');
  assert.equal(said({}), 'This field is required: one of "wait_until", "send".');
});

test('says what a field should be, and how the value that was sent would be right', () => {
  const said = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;
  const tags = z.array(z.string());
  assert.equal(said(tags, 'vip'), 'Expected a list, not text. Send ["vip"] for one item.');
  assert.equal(said(tags, undefined), 'This field is required: a list.');
  assert.equal(said(z.string().optional().nonoptional(), undefined), 'This field is required.');
  assert.equal(said(z.strictObject({}), [1]), 'Expected an object, not a list.');
  assert.equal(said(z.int(), '5'), 'Expected a number, not text. Send 5 without quotes.');
  assert.equal(said(z.int(), 1.5), 'Expected a whole number, not 1.5.');
  assert.equal(said(z.boolean(), 'true'), 'Expected true or false, not text. Send true without quotes.');
  assert.equal(said(z.string(), 10115), 'Expected text, not a number. Send "10115" in quotes.');
  assert.equal(said(z.string(), null), 'Expected text, not null.');
});

test('shows the value in the right form when a day is sent for a time, or a time for a day', () => {
  const said = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;
  const time = z.iso.datetime({ offset: true });
  assert.equal(said(time, '2026-01-01'), 'Expected a time in UTC or with an offset, such as 2026-01-01T00:00:00Z.');
  assert.equal(said(time, '2026-01-01T10:00'), 'Expected a time in UTC or with an offset, such as 2026-01-01T10:00Z.');
  assert.equal(said(time, 'yesterday'), 'Expected a time in UTC or with an offset, such as 2026-01-31T08:00:00Z.');
  assert.equal(said(z.iso.date(), '2026-01-01T10:00:00Z'), 'Expected a day, such as 2026-01-01.');
});
