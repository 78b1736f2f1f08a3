/** A kind of resource of an account: where it is listed, and which of its fields another account takes. */
export type Kind = {
  name: string;
  path: string;
  /** Each is a list of its own. */
  queries: readonly Record<string, string>[];
  /** Lists leave out the content. */
  isListedWithoutContent: boolean;
  /** The fields of the request that creates it. */
  fields: readonly string[];
};

const every = [{}];
const content = ['subject', 'preview_text', 'html', 'mjml', 'text', 'design'];

/** In an order in which most have what they refer to before them; an import waits for the rest. */
export const kinds: readonly Kind[] = [
  {
    ...{ name: 'coupons', path: '/v2/campaigns/coupons', queries: every, isListedWithoutContent: false },
    fields: ['name', 'description', 'expires_at', 'single_use'],
  },
  {
    ...{ name: 'templates', path: '/v2/campaigns/templates', queries: every, isListedWithoutContent: true },
    fields: ['name', 'description', ...content],
  },
  {
    ...{ name: 'segments', path: '/v2/segments', queries: [{}, { archived: 'true' }], isListedWithoutContent: true },
    fields: ['name', 'description', 'kind', 'definition'],
  },
  {
    ...{ name: 'forms', path: '/v2/contacts/forms', queries: [{}, { status: 'archived' }], isListedWithoutContent: true },
    fields: [
      ...['name', 'title', 'description', 'submit_label', 'language', 'fields', 'consents', 'sender', 'double_opt_in', 'tags'],
      ...['segment_id', 'overwrite', 'after_submission', 'after_confirmation', 'look', 'allowed_origins', 'limits'],
    ],
  },
  {
    ...{ name: 'campaigns', path: '/v2/campaigns', queries: every, isListedWithoutContent: true },
    fields: [
      ...['name', 'channel', ...content, 'template_id', 'overrides', 'from', 'reply_to', 'utm', 'audience', 'ab_test', 'holdout_percent'],
      ...['topic', 'conversion', 'timezone_mode', 'fallback_timezone', 'throttle_per_minute', 'track'],
    ],
  },
  {
    ...{ name: 'workflows', path: '/v2/workflows', queries: every, isListedWithoutContent: true },
    fields: [...['name', 'description', 'trigger', 'steps', 'entry', 'on_error', 'exit_when', 'quiet_hours', 'max_concurrent', 'priority']],
  },
  {
    ...{ name: 'goals', path: '/v2/leadpulse/goals', queries: every, isListedWithoutContent: false },
    fields: ['name', 'match', 'value'],
  },
  {
    ...{ name: 'saved_reports', path: '/v2/leadpulse/saved-reports', queries: every, isListedWithoutContent: true },
    fields: ['name', 'days', 'report'],
  },
  {
    ...{ name: 'sites', path: '/v2/leadpulse/sites', queries: every, isListedWithoutContent: false },
    fields: ['name', 'origins', 'max_events_per_day'],
  },
  {
    ...{ name: 'webhooks', path: '/v2/webhooks', queries: every, isListedWithoutContent: true },
    fields: ['url', 'events', 'filter', 'description', 'batch'],
  },
];

/** The settings of each service. */
export const settingsPaths: Readonly<Record<string, string>> = {
  account: '/v2/settings/account',
  contacts: '/v2/contacts/settings',
  campaigns: '/v2/campaigns/settings',
  brand: '/v2/campaigns/brand',
  workflows: '/v2/workflows/settings',
  leadpulse: '/v2/leadpulse/settings',
};
