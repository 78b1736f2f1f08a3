import { AccountsWithContacts, AttributeTypesOf, ContactsFind, ContactsPage } from '@mp/contracts/questions/contacts';
import { positionQuestions } from '@mp/contracts/questions/positions';
import { RuleEvaluated, SegmentMembersPage, SegmentsCaughtUp, SegmentsExist } from '@mp/contracts/questions/segments';
import { streams } from '@mp/contracts/streams';
import type { Consumer } from '@mp/service-kit/consume';

type Stream = keyof typeof streams;
const streamKeys: readonly Stream[] = ['platform', 'contacts', 'segments', 'campaigns', 'leadpulse', 'workflows', 'dead'];

const { contacts, leadpulse, campaigns, workflows } = positionQuestions;
const sources = [contacts.subject, leadpulse.subject, campaigns.subject];

/** The rights of a service beyond its consumers: its stream and the requests it sends. A test checks `asks` against the sources. */
const speakers: Record<string, { stream: Stream; asks: readonly string[]; listens?: readonly string[]; erases?: true }> = {
  gateway: { stream: 'platform', asks: [], listens: [streams.platform.subject] },
  // To erase a person, contacts reads every stream and deletes the events that mention the person.
  contacts: { stream: 'contacts', asks: [], erases: true },
  segments: {
    stream: 'segments',
    asks: [
      ContactsFind.subject,
      ContactsPage.subject,
      AccountsWithContacts.subject,
      AttributeTypesOf.subject,
      ...sources,
      workflows.subject,
    ],
  },
  campaigns: {
    stream: 'campaigns',
    asks: [
      ContactsFind.subject,
      ContactsPage.subject,
      SegmentMembersPage.subject,
      SegmentsExist.subject,
      SegmentsCaughtUp.subject,
      ...sources,
    ],
  },
  leadpulse: { stream: 'leadpulse', asks: [ContactsFind.subject] },
  workflows: { stream: 'workflows', asks: [ContactsFind.subject, AttributeTypesOf.subject, RuleEvaluated.subject, SegmentsExist.subject] },
};

export type Speaker = { name: string; consumers: readonly Pick<Consumer, 'name' | 'reads'>[] };

export type Rights = { publish: string[]; subscribe: string[] };

/** What the NATS user of a service can publish and subscribe to: its own events, requests, replies and consumers. */
export function rightsOf({ name, consumers }: Speaker, namespace = ''): Rights {
  const speaker = speakers[name];
  if (!speaker) throw new Error(`${name} is not a service`);
  const subject = (text: string) => (namespace ? `${namespace}.${text}` : text);
  const stream = (key: Stream) => (namespace ? `${namespace}_${streams[key].name}` : streams[key].name);
  const streamRead = ({ reads }: Speaker['consumers'][number]) => (namespace ? `${namespace}_${reads.stream.name}` : reads.stream.name);
  const own = [stream(speaker.stream), stream('dead')];
  const erased = speaker.erases ? streamKeys.map(stream) : [];
  return {
    publish: [
      subject(streams[speaker.stream].subject),
      ...speaker.asks.map(subject),
      ...own.flatMap((made) => [`$JS.API.STREAM.CREATE.${made}`, `$JS.API.STREAM.UPDATE.${made}`]),
      ...[...new Set([...own, ...consumers.map(streamRead)])].map((name) => `$JS.API.STREAM.INFO.${name}`),
      ...erased.flatMap((name) => [
        ...['STREAM.INFO', 'STREAM.MSG.DELETE'].map((request) => `$JS.API.${request}.${name}`),
        ...['CREATE', 'INFO', 'MSG.NEXT', 'DELETE'].map((request) => `$JS.API.CONSUMER.${request}.${name}.*`),
      ]),
      ...consumers.flatMap((consumer) => {
        const durable = `${streamRead(consumer)}.${consumer.name}`;
        return [
          subject(`dead.${consumer.name}`),
          `$JS.API.CONSUMER.CREATE.${durable}.${subject(consumer.reads.filter)}`,
          `$JS.API.CONSUMER.INFO.${durable}`,
          `$JS.API.CONSUMER.MSG.NEXT.${durable}`,
          `$JS.ACK.${durable}.>`,
          // The longer form, with domain and account, that a server in a domain uses.
          `$JS.ACK.*.*.${durable}.>`,
        ];
      }),
    ],
    subscribe: [`_INBOX_${name}.>`, subject(`rpc.${name}.>`), ...(speaker.listens ?? []).map(subject)],
  };
}

/** The users for the configuration of nats-server, which reads each password from its environment. */
export function natsUsers(list: readonly Speaker[], namespace = ''): string {
  const quoted = (subjects: readonly string[]) => subjects.map((subject) => `          "${subject}"\n`).join('');
  const users = list.map((speaker) => {
    const { publish, subscribe } = rightsOf(speaker, namespace);
    return `    {
      user: ${speaker.name}
      password: $${speaker.name.toUpperCase()}_NATS_PASSWORD
      permissions: {
        publish: [
${quoted(publish)}        ]
        subscribe: [
${quoted(subscribe)}        ]
        # A question may be answered where it came from.
        allow_responses: true
      }
    }
`;
  });
  return `# Made by \`npm run generate\` from deploy/nats/users.ts and the consumers of each service.
# A password must not look like a number to nats-server: let it begin with a letter.
authorization: {
  users: [
    # Whoever runs the platform: streams, backups, the nats command.
    { user: operator, password: $OPERATOR_NATS_PASSWORD }
${users.join('')}  ]
}
`;
}
