/**
 * The folders of each program, from the ground up. A folder may import values from those in the rows above its own, not from others in
 * its row. Files beside the folders assemble them and may import from all.
 */
export const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'services/gateway/src': [['quotas', 'documentation', 'dashboard-files'], ['credentials'], ['proxy', 'settings'], ['journal'], ['cli']],
  'services/campaigns/src': [
    ['coupons'],
    ['settings', 'ledger', 'content'],
    ['ab-tests', 'journal'],
    ['audience'],
    ['delivery', 'engagement'],
    ['campaigns'],
    ['messages', 'analytics'],
  ],
  'services/workflows/src': [
    ['settings', 'counts', 'receivers', 'journal'],
    ['workflows', 'webhooks'],
    ['runs'],
    ['analytics', 'candidates', 'enrollments', 'hooks', 'schedules', 'simulations', 'triggers', 'webhook-steps'],
    ['contacts', 'occurrences'],
  ],
  'services/leadpulse/src': [
    ['time', 'sites', 'countries', 'erasures'],
    ['settings'],
    ['events', 'retention'],
    ['rollups', 'identities', 'ingest'],
    ['sessions'],
    ['reports'],
    ['analytics', 'goals', 'live', 'saved-reports', 'segment-api', 'visitors'],
    ['counting'],
  ],
  'services/contacts/src': [
    ['attributes', 'segments', 'consent', 'settings', 'timeline'],
    ['contacts'],
    ['files', 'suppressions', 'merges', 'journal', 'effects', 'deletions'],
    ['bulk', 'imports', 'erasures', 'forms'],
    ['exports'],
  ],
  'services/segments/src': [
    ['profiles', 'references', 'erasures'],
    ['activities', 'backfills', 'names', 'cli'],
    ['segments'],
    ['memberships', 'consistency'],
    ['effects'],
  ],
  'dashboard/src': [
    ['api', 'time', 'numbers', 'json', 'navigation', 'clipboard', 'theme', 'connection'],
    ['page'],
    ['dialogs', 'lists', 'charts', 'session', 'contact-fields', 'email-frame'],
    ['form', 'email-design', 'contacts', 'usage'],
    ['names', 'account', 'secrets', 'brand', 'sending', 'palette', 'suppressions', 'views'],
    ['approval'],
    ['shell', 'settings', 'api-keys', 'team', 'rules', 'campaigns', 'coupons', 'timeline', 'exports', 'sites', 'bulk-jobs'],
    ['audit-log', 'oauth-clients', 'single-sign-on', 'segments', 'consent', 'merges', 'contact-list', 'email-editor', 'webhooks'],
    ['messages'],
    ['contact-page', 'forms', 'imports', 'leadpulse', 'templates'],
    ['campaign-editor', 'workflows'],
    ['campaign-page', 'overview', 'styles'],
    ['routes'],
  ],
};
