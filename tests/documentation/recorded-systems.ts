import { klaviyoAccount, listmonkInstance, mailchimpAccount, recordedServer } from '../../libs/move-in/test/recorded-server.ts';

const at = '2024-03-01T10:00:00.000Z';
const [ada, left, gone] = ['ada@example.com', 'left@example.com', 'gone@example.com'];

const mailchimp = mailchimpAccount(
  {
    news: [
      ...[
        { email_address: ada, status: 'subscribed', timestamp_opt: at, ip_opt: '203.0.113.7', tags: [{ id: 1, name: 'vip' }] },
        { email_address: left, status: 'unsubscribed', last_changed: at, unsubscribe_reason: 'Too many' },
        { email_address: gone, status: 'cleaned', last_changed: at },
      ].map((member) => ({ id: member.email_address, merge_fields: { FNAME: 'Ada' }, ...member })),
    ],
  },
  { html: '<p>Hi *|FNAME|* of *|LIST:NAME|*</p><a href="*|UNSUB|*">Leave</a>' },
);

const profile = (email: string, marketing: object) => ({
  ...{ email, first_name: 'Ada' },
  subscriptions: { email: { marketing: { consent: 'SUBSCRIBED', consent_timestamp: at, double_optin: true, ...marketing } } },
});
const klaviyo = klaviyoAccount(
  [
    profile(ada, {}),
    profile(left, { consent: 'UNSUBSCRIBED', last_updated: at }),
    profile(gone, { suppression: [{ reason: 'HARD_BOUNCE', timestamp: at }] }),
  ],
  {
    members: { News: [ada] },
    html: '<p>Hi {{ first_name|default:"you" }}</p>{% unsubscribe %}',
    events: [10, 200].map((days) => ({
      ...{
        id: `order-${days}`,
        name: 'Placed Order',
        email: days === 10 ? ada : left,
        event_properties: { $value: days * 2, $value_currency: 'EUR' },
      },
      datetime: new Date(Date.now() - days * 86_400_000).toISOString(),
    })),
  },
);

const subscriber = (id: number, email: string, subscription_status: string) => ({
  ...{ id, email, name: 'Ada Lovelace', status: 'enabled', created_at: at },
  lists: [{ id: 1, name: 'News', optin: 'double', subscription_status, subscription_updated_at: at }],
});
const listmonk = listmonkInstance(
  [subscriber(1, ada, 'confirmed'), subscriber(2, left, 'unsubscribed'), subscriber(3, gone, 'confirmed')],
  {
    bounces: [{ id: 1, email: gone, type: 'hard', created_at: at }],
    html: '<p>Hi {{ .Subscriber.FirstName }}</p>{{ template "content" . }}<a href="{{ UnsubscribeURL }}">Leave</a>',
  },
);

/** The URLs of the systems that guides move from, as variables of the environment: each has three contacts. */
export async function recordedSystems(t: { after: (cleanUp: () => void) => void }): Promise<Record<string, string>> {
  const [one, two, three] = await Promise.all([recordedServer(t, mailchimp), recordedServer(t, klaviyo), recordedServer(t, listmonk)]);
  return { TEST_MAILCHIMP: one.url, TEST_KLAVIYO: two.url, TEST_LISTMONK: three.url };
}
