import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignDraft } from './campaign-draft.ts';
import { missingOf } from './validate-campaign.ts';

const ready: CampaignDraft = {
  ...{ name: 'Spring', subject: 'Spring is here', preview_text: '', html: '<p>Hi</p>', text: '', mjml: null, design: null },
  from: { email: 'news@example.com', name: '' },
  reply_to: '',
  template_id: null,
  overrides: [],
  audience: { include: ['all'], exclude: [] },
  throttle_per_minute: '',
  track: { opens: true, clicks: true },
  ...{ timezone_mode: 'fixed', fallback_timezone: '', topic: '', utm: null },
  conversion: { event: '', window_days: '7' },
  ab_test: null,
  holdout_percent: '',
};

test('a campaign with a name, a sender, an audience and an email is complete', () => {
  assert.deepEqual(missingOf(ready), []);
  assert.deepEqual(missingOf({ ...ready, html: '', template_id: 'template_1' }), [], 'a template is content');
  assert.deepEqual(missingOf({ ...ready, html: '', text: 'Hi' }), [], 'plain text is content');
});

test('each missing part is named with its field and step', () => {
  const missing = missingOf({ ...ready, name: ' ', subject: '', html: '  ', audience: { include: [], exclude: [] } });
  assert.deepEqual(
    missing.map(({ step, field }) => [step, field]),
    [
      ['audience', 'name'],
      ['audience', 'audience.include'],
      ['content', 'subject'],
      ['content', 'html'],
    ],
  );
});
