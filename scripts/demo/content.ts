const from = { email: 'hello@shop.example', name: 'The Shop' };
const page = (text: string, link: string, label: string) =>
  `<div style="font-family: sans-serif; max-width: 34rem"><p>Hello {{ contact.first_name | default: "there" }},</p><p>${text}</p><p><a href="https://shop.example${link}">${label}</a></p></div>`;

export const demoSegments = [
  {
    name: 'Berlin',
    description: 'Contacts who live in Berlin.',
    definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  },
  { name: 'Paying customers', definition: { all: [{ field: 'attributes.plan', op: 'in', value: ['starter', 'pro', 'enterprise'] }] } },
  {
    name: 'Large teams',
    definition: {
      all: [{ field: 'attributes.seats', op: 'gte', value: 50 }, { not: { field: 'attributes.plan', op: 'eq', value: 'free' } }],
    },
  },
  {
    name: 'Trials that like automation',
    definition: {
      all: [
        { field: 'attributes.trial', op: 'eq', value: true },
        { field: 'tags', op: 'contains', value: 'automation' },
      ],
    },
  },
  { name: 'Ordered in the last 30 days', definition: { event: 'order_placed', count: { gte: 1 }, in_last: 'P30D' } },
  { name: 'Clicked an email', definition: { campaign: 'any', activity: 'clicked' } },
];

/** Each campaign is sent to the named segment. */
export const demoCampaigns = [
  {
    segment: 'Berlin',
    body: {
      name: 'Meet us in Berlin',
      subject: '{{ contact.first_name }}, meet us in Berlin',
      preview_text: 'An evening on 3 December',
      from,
      html: page('We are in town on 3 December.', '/events/berlin', 'Save a seat'),
    },
  },
  {
    segment: 'Large teams',
    body: {
      name: 'For larger teams',
      subject: 'Roles and approvals are here',
      from,
      html: page('Your team can now review before it sends.', '/features', 'See what is new'),
    },
  },
  {
    segment: 'Trials that like automation',
    body: {
      name: 'Your trial',
      subject: 'Three workflows to try first',
      from,
      html: page('Most teams begin with these three.', '/docs', 'Try them'),
    },
  },
];

export const demoWorkflows = [
  {
    name: 'Welcome large teams',
    segment: 'Large teams',
    steps: [
      { id: 'wait', type: 'delay', for: 'PT1S', next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'greeted' },
    ],
  },
  {
    name: 'Ask for feedback',
    segment: null,
    steps: [
      {
        id: 'who',
        type: 'branch',
        branches: [{ when: { field: 'attributes.plan', op: 'eq', value: 'enterprise' }, to: 'personal' }],
        else: 'tag',
      },
      {
        id: 'personal',
        type: 'send',
        subject: '{{ contact.first_name }}, how are we doing?',
        from,
        html: page('We would love to hear from you.', '/contact', 'Reply'),
        next: 'tag',
      },
      { id: 'tag', type: 'add_tag', tag: 'asked-for-feedback' },
    ],
  },
];
