import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CampaignDraft, campaignOf } from './campaign-draft.ts';

const draft: CampaignDraft = {
  ...{ name: 'Spring', subject: 'Of the template', preview_text: '', html: '', text: '', mjml: null, design: null },
  from: { email: 'news@example.com', name: '' },
  reply_to: '',
  template_id: 'template_1',
  overrides: [],
  audience: { include: ['all'], exclude: [] },
  throttle_per_minute: '',
  track: { opens: true, clicks: true },
  ...{ timezone_mode: 'fixed', fallback_timezone: '', topic: '', utm: null },
  conversion: { event: '', window_days: '7' },
  ab_test: null,
  holdout_percent: '',
};

test('saving a draft overrides nothing of its template but what was typed', () => {
  const saved = campaignOf(draft);
  assert.deepEqual([saved.overrides, 'subject' in saved, 'preview_text' in saved, 'html' in saved], [[], false, false, false]);
  const own = campaignOf({ ...draft, subject: 'Own', overrides: ['subject'] });
  assert.deepEqual([own.overrides, own.subject, 'preview_text' in own], [['subject'], 'Own', false]);
  assert.equal(campaignOf({ ...draft, overrides: ['preview_text'] }).preview_text, null, 'none, whatever the template has');
  const alone = campaignOf({ ...draft, template_id: null, html: '<p>Hi</p>' });
  assert.deepEqual([alone.subject, alone.preview_text, alone.html, 'overrides' in alone], ['Of the template', null, '<p>Hi</p>', false]);
});
