import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timelineLabel } from './timeline-labels.ts';

const words = (type: string, facts: Record<string, unknown>) => timelineLabel({ type, facts, contact_id: 'contact_1' });

test('writes each entry in words, with a link to its page', () => {
  assert.deepEqual(
    words('leadpulse.event.tracked', { event: '$pageview', properties: { 'page.title': 'Pricing', 'page.path': '/pricing' }, value: null }),
    { what: 'Viewed Pricing', more: '/pricing', target: { page: 'visitors', id: 'contact_1' } },
  );
  const untitled = words('leadpulse.event.tracked', { event: '$pageview', properties: { 'page.path': '/pricing' }, value: null });
  assert.deepEqual([untitled.what, untitled.more], ['Viewed /pricing', ''], 'the path once');
  assert.equal(words('leadpulse.event.attributed', { event: 'order_placed', value: { amount: 49, currency: 'EUR' } }).more, '€49');
  assert.deepEqual(words('campaigns.message.clicked', { campaign_id: 'campaign_1', url: 'https://example.com', machine: true }), {
    what: 'A scanner clicked a link in an email',
    more: 'https://example.com',
    target: { page: 'campaign', id: 'campaign_1' },
  });
  const ended = (hard: boolean) => words('campaigns.message.bounced', { hard, reason: '552 Full' });
  assert.deepEqual([ended(true).what, ended(false).what, ended(false).more], ['Email bounced', 'Email refused', '552 Full']);
  assert.deepEqual(words('workflows.run.ended', { run_id: 'run_1', workflow_name: 'Welcome', state: 'failed', reason: 'no address' }), {
    what: 'Left the workflow “Welcome”',
    more: 'failed: no address',
    target: { page: 'run', id: 'run_1' },
  });
  assert.deepEqual(words('contacts.consent.changed', { channel: 'email', topic: 'news', before: 'subscribed', status: 'unsubscribed' }), {
    what: 'Email consent for “news”: unsubscribed',
    more: 'before: subscribed',
  });
  assert.deepEqual(words('contacts.form.submitted', { form_name: 'Newsletter', page: 'https://example.com/blog' }), {
    what: 'Submitted the form “Newsletter”',
    more: 'https://example.com/blog',
  });
  assert.equal(words('contacts.form.confirmed', { form_name: 'Newsletter' }).what, 'Confirmed the form “Newsletter”');
  assert.equal(words('contacts.consent.changed', { channel: 'sms', topic: null, before: null, status: null }).what, 'SMS consent: cleared');
});

test('shows unknown types by name, and tolerates unexpected facts', () => {
  assert.deepEqual(words('campaigns.message.delayed_once', {}), { what: 'message delayed once', more: '' });
  assert.deepEqual(words('leadpulse.event.tracked', { event: 7, properties: [], value: 'x' }), {
    what: '',
    more: '',
    target: { page: 'visitors', id: 'contact_1' },
  });
});
