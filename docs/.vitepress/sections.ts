type Section = { text: string; items: readonly { text: string; link: string }[] };

/** The pages that are in the menu, in the order in which people need them. Every other page is found by search and links. */
export const sections: readonly Section[] = [
  {
    text: 'Guides',
    items: [
      { text: 'Before you start', link: '/guides/' },
      { text: 'Quickstart', link: '/guides/quickstart' },
      { text: 'Import contacts', link: '/guides/import-contacts' },
      { text: 'A first campaign', link: '/guides/first-campaign' },
      { text: 'Segments by example', link: '/guides/segments' },
      { text: 'Workflows by example', link: '/guides/workflows' },
      { text: 'Track a website', link: '/guides/track-a-website' },
      { text: 'Grow your list', link: '/guides/grow-your-list' },
      { text: 'Webhooks', link: '/guides/webhooks' },
      { text: 'Messages', link: '/guides/messages' },
      { text: 'Deliverability', link: '/guides/deliverability' },
      { text: 'Assistants', link: '/guides/assistants' },
    ],
  },
  {
    text: 'Move in',
    items: [
      { text: 'How moving in works', link: '/moving-in' },
      { text: 'From Mailchimp', link: '/guides/from-mailchimp' },
      { text: 'From Klaviyo', link: '/guides/from-klaviyo' },
      { text: 'From listmonk', link: '/guides/from-listmonk' },
      { text: 'From Segment', link: '/guides/from-segment' },
      { text: 'Suppressions', link: '/guides/suppressions' },
      { text: 'To another account', link: '/guides/move-out' },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Run it', link: '/running' },
      { text: 'Go to production', link: '/guides/production' },
      { text: 'Upgrade', link: '/guides/upgrading' },
      { text: 'Backup drill', link: '/guides/backup-drill' },
      { text: 'Data protection requests', link: '/guides/gdpr' },
      { text: 'Versions and deprecations', link: '/guides/versions' },
      { text: 'Limits', link: '/guides/limits' },
    ],
  },
  {
    text: 'Concepts',
    items: [
      { text: 'The ledger', link: '/concepts/ledger' },
      { text: 'Consistency', link: '/concepts/consistency' },
      { text: 'Idempotency', link: '/concepts/idempotency' },
      { text: 'Identity', link: '/concepts/identity' },
      { text: 'Time zones', link: '/concepts/time-zones' },
      { text: 'Quotas', link: '/concepts/quotas' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'A tour with curl', link: '/tour' },
      { text: 'TypeScript SDK', link: '/sdk' },
      { text: 'Python SDK', link: '/sdk-python' },
      { text: 'Command line', link: '/cli' },
      { text: 'Browser snippet', link: '/snippet' },
      { text: 'Errors', link: '/errors' },
      { text: 'Events', link: '/events' },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
  {
    text: 'Operator manual',
    items: [
      { text: 'Operations', link: '/operations' },
      { text: 'Capacity', link: '/operations-capacity' },
      { text: 'Scaling', link: '/scaling' },
      { text: 'Data protection', link: '/operations-data' },
      { text: 'TLS', link: '/operations-tls' },
      { text: 'Configuration', link: '/config' },
      { text: 'Metrics', link: '/metrics' },
      { text: 'Helm chart', link: '/chart' },
      { text: 'Architecture', link: '/architecture' },
      { text: 'Decisions', link: '/decisions/' },
      { text: 'Security', link: '/security' },
      { text: 'Contributing', link: '/contributing' },
      { text: 'Changes', link: '/changelog' },
    ],
  },
];
