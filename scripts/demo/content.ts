/** Also the default sender of the account, so that new emails need none. */
export const demoSender = { email: 'hello@shop.example', name: 'The Shop' };
const from = demoSender;
const site = 'https://shop.example';

const paragraph = (text: string) => `<p style="margin: 0 0 16px; font-size: 16px; line-height: 1.5">${text}</p>`;
const button = (path: string, label: string) =>
  `<p style="margin: 24px 0"><a href="${site}${path}" style="display: inline-block; padding: 12px 20px; border-radius: 6px; background: #2f6fde; color: #ffffff; font-weight: bold; text-decoration: none">${label}</a></p>`;
const link = (path: string, label: string) => `<a href="${site}${path}" style="color: #2458b3">${label}</a>`;

type Mail = { title: string; text: string; path: string; label: string; more?: string };

/** An email with a headline, a button, links, an address and a link to unsubscribe. */
const mail = ({ title, text, path, label, more = '' }: Mail) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin: 0; padding: 24px 12px; background: #f2f4f8; color: #1c2433; font-family: Helvetica, Arial, sans-serif">
<div style="max-width: 560px; margin: 0 auto; padding: 32px; border-radius: 8px; background: #ffffff; color: #1c2433">
<p style="margin: 0 0 24px; font-size: 14px; font-weight: bold; letter-spacing: 1px">THE SHOP</p>
<h1 style="margin: 0 0 16px; font-size: 26px; line-height: 1.25">${title}</h1>
${paragraph('Hello {{ contact.first_name | default: "there" }},')}${paragraph(text)}${button(path, label)}${more}
${paragraph(`Read more on ${link('/blog/segments-explained', 'our blog')}, or look at ${link('/pricing', 'our plans')}.`)}
</div>
<p style="max-width: 560px; margin: 16px auto; color: #5b6472; font-size: 12px; text-align: center">The Shop, 1 Example Street, 10115 Berlin · <a href="{{ unsubscribe_url }}" style="color: #5b6472">Unsubscribe</a></p>
</body></html>`;

const inCity = (city: string) => ({
  name: city,
  description: `Contacts who live in ${city}.`,
  definition: { all: [{ field: 'address.city', op: 'eq', value: city }] },
});

export const demoSegments = [
  inCity('Berlin'),
  inCity('London'),
  inCity('Paris'),
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

type DemoCampaign = {
  segment: string;
  daysAgo: number;
  appeal: number;
  body: { name: string; [field: string]: unknown };
  winner?: { id: string; words: string; appeal: number };
};

/** Each campaign is sent to the named segment; the demo dates it some days back. `appeal` is the share of recipients who open it. */
export const demoCampaigns: readonly DemoCampaign[] = [
  {
    ...{ segment: 'Trials that like automation', daysAgo: 79, appeal: 0.41 },
    body: {
      ...{ name: 'Your trial', subject: 'Three workflows to try first', from },
      html: mail({
        ...{ title: 'Three workflows to try first', text: 'Most teams begin with these three. Each takes five minutes.' },
        ...{ path: '/docs', label: 'Try them' },
      }),
    },
  },
  {
    ...{ segment: 'London', daysAgo: 58, appeal: 0.36 },
    body: {
      ...{ name: 'September newsletter', subject: 'What is new in September', preview_text: 'Segments that explain themselves', from },
      html: mail({
        ...{ title: 'What is new in September', text: 'Every segment now says why a contact is in it.' },
        ...{ path: '/features', label: 'See what is new' },
      }),
    },
  },
  {
    ...{ segment: 'Large teams', daysAgo: 36, appeal: 0.38 },
    body: {
      ...{ name: 'For larger teams', subject: 'Roles and approvals are here', from },
      html: mail({
        ...{ title: 'Roles and approvals', text: 'Your team can now review before it sends.' },
        ...{ path: '/features', label: 'See what is new' },
      }),
      ab_test: {
        variants: [
          { id: 'a', weight: 50, subject: 'Roles and approvals are here' },
          { id: 'b', weight: 50, subject: '{{ contact.first_name }}, never send the wrong email again' },
        ],
        ...{ sample_percent: 40, metric: 'opens', selection: 'manual' },
      },
    },
    /** Its subject is opened more often. */
    winner: { id: 'b', words: 'never send', appeal: 0.49 },
  },
  {
    ...{ segment: 'Paris', daysAgo: 20, appeal: 0.44 },
    body: {
      ...{ name: 'Autumn offer', subject: '20% off until Sunday', preview_text: 'For everyone who starts this week', from },
      html: mail({
        ...{ title: '20% off until Sunday', text: 'Start with any plan this week, and pay a fifth less for a year.' },
        ...{ path: '/pricing', label: 'Choose a plan' },
      }),
    },
  },
  {
    ...{ segment: 'Berlin', daysAgo: 6, appeal: 0.52 },
    body: {
      ...{
        name: 'Meet us in Berlin',
        subject: '{{ contact.first_name }}, meet us in Berlin',
        preview_text: 'An evening on 3 December',
        from,
      },
      html: mail({
        ...{
          title: 'Meet us in Berlin',
          text: 'We are in town on 3 December: two talks, good food, and the people who build the product.',
        },
        ...{ path: '/events/berlin', label: 'Save a seat', more: paragraph(`Can’t come? ${link('/events', 'See the next cities')}.`) },
      }),
    },
  },
];

/** A campaign that is still being written. */
export const demoDraft = {
  name: 'December newsletter',
  subject: 'The year in five numbers',
  from,
  html: mail({
    ...{ title: 'The year in five numbers', text: 'What our customers sent, and what we learned from it.' },
    ...{ path: '/blog/deliverability', label: 'Read the review' },
  }),
};

/** Workflows that are started for up to `start` members of the segment; `next` steps let some wait and others finish. */
export const demoWorkflows = [
  {
    ...{ name: 'Welcome customers', description: 'The first week of a new customer.', segment: 'London', start: 180 },
    steps: [
      {
        ...{ id: 'hello', name: 'Say hello', type: 'send', subject: 'Welcome, {{ contact.first_name | default: "friend" }}', from },
        html: mail({ title: 'Welcome', text: 'Good to have you here. Start with your first segment.', path: '/docs', label: 'Start' }),
        next: 'plan',
      },
      {
        ...{ id: 'plan', name: 'Which plan?', type: 'branch', else: 'look' },
        branches: [
          { when: { field: 'attributes.plan', op: 'eq', value: 'enterprise' }, to: 'personal' },
          { when: { field: 'attributes.plan', op: 'eq', value: 'free' }, to: 'nudge' },
        ],
      },
      { id: 'personal', name: 'Assign an account manager', type: 'add_tag', tag: 'account-manager', next: 'call' },
      { id: 'call', name: 'Wait for the first call', type: 'delay', for: 'P5D', next: 'ask' },
      { id: 'nudge', name: 'Two days to look around', type: 'delay', for: 'P2D', next: 'ask' },
      { id: 'look', name: 'A day to look around', type: 'delay', for: 'P1D', next: 'ask' },
      {
        ...{ id: 'ask', name: 'Ask how it goes', type: 'send', subject: 'How is it going?', from },
        html: mail({ title: 'How is it going?', text: 'Reply to this email; we read every answer.', path: '/contact', label: 'Reply' }),
      },
    ],
  },
  {
    ...{ name: 'Ask for feedback', description: 'Once, of larger teams.', segment: 'Large teams', start: 100 },
    steps: [
      {
        ...{ id: 'who', name: 'Enterprise?', type: 'branch', else: 'tag' },
        branches: [{ when: { field: 'attributes.plan', op: 'eq', value: 'enterprise' }, to: 'personal' }],
      },
      {
        ...{ id: 'personal', type: 'send', subject: '{{ contact.first_name }}, how are we doing?', from, next: 'tag' },
        html: mail({ title: 'How are we doing?', text: 'We would love to hear from you.', path: '/contact', label: 'Reply' }),
      },
      { id: 'tag', type: 'add_tag', tag: 'asked-for-feedback' },
    ],
  },
];

export const demoGoals = [
  { name: 'Order', match: { event: 'order_placed' } },
  { name: 'Looked at the prices', match: { page: '/pricing' } },
];
