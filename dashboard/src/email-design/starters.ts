import { type Brand, type DesignNode, type EmailDesign, newDesign, placeholderUrl } from './design.ts';

const text = (value: string): DesignNode => ({ type: 'text', text: value });
const tag = (field: string, fallback = ''): DesignNode => ({ type: 'mergeTag', attrs: { field, fallback } });
const paragraph = (...content: (string | DesignNode)[]): DesignNode => ({
  type: 'paragraph',
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
});
const heading = (level: number, ...content: (string | DesignNode)[]): DesignNode => ({
  ...paragraph(...content),
  type: 'heading',
  attrs: { level },
});
const button = (label: string, align = 'left'): DesignNode => ({ type: 'button', attrs: { label, href: placeholderUrl, align } });
const bullets = (...items: string[]): DesignNode => ({
  type: 'bulletList',
  content: items.map((item) => ({ type: 'listItem', content: [paragraph(item)] })),
});
const columns = (...each: DesignNode[][]): DesignNode => ({
  type: 'columns',
  content: each.map((content) => ({ type: 'column', content })),
});
const section = (background: string, ...content: DesignNode[]): DesignNode => ({
  type: 'section',
  attrs: { background, padding: 'medium' },
  content,
});
const centered = (node: DesignNode): DesignNode => ({ ...node, attrs: { ...node.attrs, textAlign: 'center' } });
const divider: DesignNode = { type: 'horizontalRule' };
const social: DesignNode = { type: 'social', attrs: { links: null, align: 'center' } };
const hello = (word: string) => paragraph(`${word} `, tag('contact.first_name', 'there'), ',');

/** An email to begin with. */
export type Starter = { id: string; name: string; describes: string; subject: string; content: DesignNode[] };

/** What a new email contains. */
export const blank: DesignNode[] = [hello('Hi'), paragraph('Write your message here.')];

export const starters: readonly Starter[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    describes: 'Several stories, each with a link.',
    subject: 'What is new this month',
    content: [
      heading(1, 'What is new this month'),
      hello('Hi'),
      paragraph('Here is what is new with us, and what we think is worth your time.'),
      divider,
      heading(2, 'The main story'),
      paragraph('This month we changed what you asked for most. The whole story takes two minutes to read.'),
      button('Read the story'),
      columns(
        [heading(3, 'In short'), paragraph('A few small improvements that you will notice when you come back.')],
        [heading(3, 'Worth reading'), paragraph('What other customers made of it, in their own words.')],
      ),
      divider,
      social,
    ],
  },
  {
    id: 'announcement',
    name: 'Announcement',
    describes: 'One piece of news and one button.',
    subject: 'Introducing something new',
    content: [
      heading(1, 'Introducing something new'),
      hello('Hi'),
      paragraph('Today we are launching the thing you asked for. It does the work in half the time.'),
      bullets('What it does, in a few words', 'Who it is for', 'When it is available'),
      button('See how it works'),
      paragraph('Reply to this email if you have a question. We read every message.'),
    ],
  },
  {
    id: 'voucher',
    name: 'Voucher',
    describes: 'A discount with a code.',
    subject: '10% off your next order',
    content: [
      heading(1, '10% off your next order'),
      hello('Hi'),
      paragraph('Thank you for buying from us. Your next order is 10% off with this code:'),
      section('tint', centered(heading(1, 'THANKS10')), centered(paragraph('Enter the code at checkout.')), button('Shop now', 'center')),
    ],
  },
  {
    id: 'welcome',
    name: 'Welcome',
    describes: 'The first email to someone new.',
    subject: 'Welcome, {{ contact.first_name | default: "and good to have you here" }}',
    content: [
      heading(1, 'Welcome, ', tag('contact.first_name', 'and good to have you here')),
      paragraph('Thank you for signing up. Three steps to get started:'),
      {
        type: 'orderedList',
        content: ['Complete your profile', 'Invite your team', 'Try your first project'].map((item) => ({
          type: 'listItem',
          content: [paragraph(item)],
        })),
      },
      button('Get started'),
      paragraph('If you need help, just reply to this email.'),
    ],
  },
  {
    id: 'receipt',
    name: 'Receipt',
    describes: 'Confirms an order.',
    subject: 'Thank you for your order',
    content: [
      heading(1, 'Thank you for your order'),
      hello('Hi'),
      paragraph('We have received your order and will let you know when it is on its way.'),
      divider,
      paragraph('Its number, what is in it and the total with tax are in your account.'),
      divider,
      button('View your order'),
      paragraph('Questions about your order? Reply to this email.'),
    ],
  },
  {
    id: 'win-back',
    name: 'Win-back',
    describes: 'For people who have not come back.',
    subject: 'We miss you',
    content: [
      heading(1, 'It has been a while'),
      hello('Hi'),
      paragraph('A lot has changed since your last visit. Here is what you missed:'),
      bullets('What other customers asked for, and got', 'A quicker way to begin', 'Answers from a person, on every working day'),
      paragraph('Come back and have a look. Your account is just as you left it.'),
      button('Have a look'),
    ],
  },
  {
    id: 'getting-started',
    name: 'Getting started',
    describes: 'Tips for someone who has signed up.',
    subject: 'Three things to try first',
    content: [
      heading(1, 'Three things to try first'),
      hello('Hi'),
      paragraph('You have signed up, and we want you to get something out of it this week. Most people begin like this:'),
      bullets('Set up the one thing you came for', 'Look at an example and change it', 'Ask a colleague to join you'),
      button('Open your account'),
      paragraph('Stuck? Reply to this email, and a person answers.'),
    ],
  },
  {
    id: 'cart',
    name: 'Abandoned cart',
    describes: 'Reminds of what is left in the cart.',
    subject: 'You left something in your cart',
    content: [
      heading(1, 'Your cart is waiting'),
      hello('Hi'),
      paragraph('You left something in your cart. We have kept it for you.'),
      {
        type: 'product',
        attrs: {
          ...{ name: 'The name of the product', price: '$49.00', description: 'One sentence that says why it is a good choice.' },
          ...{ src: '', label: 'Back to your cart', href: placeholderUrl },
        },
      },
      paragraph('Did something go wrong at the checkout? Reply to this email, and we help.'),
    ],
  },
  {
    id: 'birthday',
    name: 'Birthday',
    describes: 'Congratulations and a small present.',
    subject: 'Happy birthday, {{ contact.first_name | default: "from all of us" }}',
    content: [
      heading(1, 'Happy birthday!'),
      hello('Dear'),
      paragraph('We wish you a wonderful day. Our present: 10% off anything you like, until the end of the month.'),
      section('primary', centered(heading(1, 'BIRTHDAY10')), button('Choose your present', 'center')),
    ],
  },
  {
    id: 'review',
    name: 'Review request',
    describes: 'Asks a customer how it was.',
    subject: 'How do you like it?',
    content: [
      heading(1, 'How do you like it?'),
      hello('Hi'),
      paragraph('You have had your order for a week now. Two sentences from you help others to choose, and us to get better.'),
      button('Write a review'),
      paragraph('Is something wrong? Please reply first, so that we can put it right.'),
    ],
  },
  {
    id: 'still-interested',
    name: 'Still interested?',
    describes: 'Asks sleeping readers whether to continue.',
    subject: 'Shall we keep writing to you?',
    content: [
      heading(1, 'Shall we keep writing to you?'),
      hello('Hi'),
      paragraph('You have not clicked in our emails for a while, and we do not want to fill your inbox. One click, and we stay in touch:'),
      button('Yes, keep me posted'),
      paragraph('If we do not hear from you, we will write less often. You can unsubscribe at any time.'),
    ],
  },
];

export const designOfStarter = ({ content }: Pick<Starter, 'content'>, brand: Brand): EmailDesign => newDesign(brand, content);
