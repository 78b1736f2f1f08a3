import type { Definition } from '../definition.ts';
import type { WorkflowStep } from '../workflows.ts';

/** An email of a recipe: a starter, which becomes a template of the account. */
type Send = { id: string; type: 'send'; email: string; subject?: string; next?: string | null };
type Notify = { id: string; type: 'notify'; subject: string; text: string; next?: string | null };
export type RecipeStep = Send | Notify | Exclude<WorkflowStep, { type: 'send' | 'notify' }>;

/** A workflow to start from, complete once its templates exist and, if it starts from one, its segment. */
export type Recipe = Pick<Definition, 'entry' | 'exit_when'> & {
  id: string;
  name: string;
  describes: string;
  /** What starts it, in two or three words. */
  starts: string;
  /** A segment is one to start from; with null, the user chooses it. */
  trigger: Exclude<Definition['trigger'], { type: 'segment_entered' }> | { segment: string | null };
  steps: readonly RecipeStep[];
};

const ordered = { type: 'event', name: 'order_placed' } as const;
const unsubscribed = { type: 'unsubscribed' } as const;
/** The time zone of the browser, so that nine in the morning is that where the marketer is. */
const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();

export const recipes: readonly Recipe[] = [
  {
    id: 'offer',
    name: 'Offer with reminder',
    describes: 'A discount for your segment, and a reminder with another subject for those who do not open it in three days.',
    starts: 'Your segment',
    trigger: { segment: null },
    entry: { policy: 'once' },
    exit_when: [unsubscribed],
    steps: [
      { id: 'offer', type: 'send', email: 'voucher', next: 'opened' },
      {
        id: 'opened',
        type: 'wait_until',
        any: [{ type: 'message_opened', step_id: 'offer' }],
        timeout: 'P3D',
        next: null,
        on_timeout: 'reminder',
      },
      { id: 'reminder', type: 'send', email: 'voucher', subject: 'Your 10% off is still waiting', next: null },
    ],
  },
  {
    id: 'welcome',
    name: 'Welcome series',
    describes: 'A welcome for each new contact, imported ones too, and tips three days later for those who did not click.',
    starts: 'New contact',
    trigger: { type: 'contact_created' },
    entry: { policy: 'once' },
    exit_when: [unsubscribed],
    steps: [
      { id: 'welcome', type: 'send', email: 'welcome', next: 'clicked' },
      {
        id: 'clicked',
        type: 'wait_until',
        any: [{ type: 'message_clicked', step_id: 'welcome' }],
        timeout: 'P3D',
        next: null,
        on_timeout: 'tips',
      },
      { id: 'tips', type: 'send', email: 'getting-started', next: null },
    ],
  },
  {
    id: 'cart',
    name: 'Abandoned cart',
    describes: 'A reminder one hour after a cart was left, unless there is an order.',
    starts: 'Added to cart',
    trigger: { type: 'event', name: 'added_to_cart' },
    entry: { policy: 'after_exit' },
    exit_when: [unsubscribed],
    steps: [
      { id: 'ordered', type: 'wait_until', any: [ordered], timeout: 'PT1H', next: null, on_timeout: 'reminder' },
      { id: 'reminder', type: 'send', email: 'cart', next: 'goal' },
      { id: 'goal', type: 'goal', any: [ordered], within: 'P7D' },
    ],
  },
  {
    id: 'win-back',
    name: 'Win-back',
    describes: 'Two emails to customers without an order for 60 days.',
    starts: 'No order for 60 days',
    trigger: { segment: 'lapsed' },
    entry: { policy: 'after_exit' },
    exit_when: [ordered, unsubscribed],
    steps: [
      { id: 'miss', type: 'send', email: 'win-back', next: 'wait' },
      { id: 'wait', type: 'delay', for: 'P14D', next: 'voucher' },
      { id: 'voucher', type: 'send', email: 'voucher', next: null },
    ],
  },
  {
    id: 'birthday',
    name: 'Birthday',
    describes: 'A present at nine in the morning, every year.',
    starts: 'Birthday',
    trigger: { type: 'date', field: 'attributes.birthday', yearly: true, time: '09:00', timezone },
    entry: { policy: 'after_exit' },
    exit_when: [unsubscribed],
    steps: [{ id: 'present', type: 'send', email: 'birthday', next: null }],
  },
  {
    id: 'review',
    name: 'Review request',
    describes: 'Asks for a review a week after an order.',
    starts: 'Order placed',
    trigger: ordered,
    entry: { policy: 'after_exit' },
    exit_when: [unsubscribed],
    steps: [
      { id: 'wait', type: 'delay', for: 'P7D', next: 'review' },
      { id: 'review', type: 'send', email: 'review', next: null },
    ],
  },
  {
    id: 'sunset',
    name: 'Sunset',
    describes: 'Writes to sleeping readers once. Those who do not click get the tag “sunset”, to exclude from campaigns.',
    starts: 'No click for half a year',
    trigger: { segment: 'sleeping' },
    entry: { policy: 'once' },
    exit_when: [unsubscribed],
    steps: [
      { id: 'ask', type: 'send', email: 'still-interested', next: 'answered' },
      {
        id: 'answered',
        type: 'wait_until',
        any: [{ type: 'message_clicked', step_id: 'ask' }],
        timeout: 'P14D',
        next: null,
        on_timeout: 'sunset',
      },
      { id: 'sunset', type: 'add_tag', tag: 'sunset', next: null },
    ],
  },
  {
    id: 'onboarding',
    name: 'Onboarding',
    describes: 'A welcome after signing up, and tips for those who do not begin in two days.',
    starts: 'Signed up',
    trigger: { type: 'event', name: 'signed_up' },
    entry: { policy: 'once' },
    exit_when: [unsubscribed],
    steps: [
      { id: 'welcome', type: 'send', email: 'welcome', next: 'begun' },
      { id: 'begun', type: 'wait_until', any: [{ type: 'event', name: 'activated' }], timeout: 'P2D', next: null, on_timeout: 'tips' },
      { id: 'tips', type: 'send', email: 'getting-started', next: null },
    ],
  },
  {
    id: 'alert',
    name: 'Internal alert',
    describes: 'Emails you when a contact asks for a demo, and tags the contact.',
    starts: 'Demo requested',
    trigger: { type: 'event', name: 'demo_requested' },
    entry: { policy: 'every_time' },
    exit_when: [],
    steps: [
      { id: 'tag', type: 'add_tag', tag: 'lead', next: 'tell' },
      {
        id: 'tell',
        type: 'notify',
        subject: '{{ contact.first_name }} {{ contact.last_name }} asks for a demo',
        text: 'Email: {{ contact.email }}\nCompany: {{ contact.company }}',
        next: null,
      },
    ],
  },
];
