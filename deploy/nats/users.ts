import { backlogRequests } from '@mp/contracts/requests/backlogs';
import { CampaignCoupons, CampaignReport, CampaignTemplate, WorkflowEmails } from '@mp/contracts/requests/campaigns';
import {
  AccountsWithContacts,
  AttributeTypesOf,
  ContactFieldsChecked,
  ContactsFind,
  ContactsPage,
  ContactsSuppressed,
} from '@mp/contracts/requests/contacts';
import { KeyCharged, RequestCharged, UsersExist } from '@mp/contracts/requests/gateway';
import { EventContactsCount, EventContactsPage, FormRevenue, VisitorToken } from '@mp/contracts/requests/leadpulse';
import { nameRequests } from '@mp/contracts/requests/names';
import { positionRequests } from '@mp/contracts/requests/positions';
import {
  RuleEvaluated,
  SegmentMemberChange,
  SegmentMembersAdd,
  SegmentMembersCount,
  SegmentMembersPage,
  SegmentsApplied,
  SegmentsCaughtUp,
  SegmentsExist,
} from '@mp/contracts/requests/segments';
import { WorkflowReport, WorkflowRunsStart } from '@mp/contracts/requests/workflows';
import { ServiceName } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { wakeSubject } from '@mp/contracts/wake';
import type { Consumer } from '@mp/service-kit/consume';

type Stream = keyof typeof streams;
const streamKeys = Object.keys(streams) as Stream[];

const { contacts, leadpulse, campaigns, workflows, segments } = positionRequests;
const sources = [contacts.subject, leadpulse.subject, campaigns.subject];

/** The rights of a service beyond its consumers: its stream and the requests it sends. A test checks `requests` against the sources. */
const speakers: Record<ServiceName, { stream: Stream; requests: readonly string[]; listens?: readonly string[]; erases?: true }> = {
  // To erase an account or a person, these two read every stream and delete the events that mention it.
  gateway: {
    stream: 'platform',
    requests: [CampaignReport.subject, WorkflowReport.subject, ...Object.values(nameRequests).map(({ subject }) => subject)],
    listens: [streams.platform.subject],
    erases: true,
  },
  contacts: {
    stream: 'contacts',
    requests: [
      SegmentMembersPage.subject,
      SegmentMembersAdd.subject,
      SegmentsExist.subject,
      SegmentsApplied.subject,
      CampaignTemplate.subject,
      WorkflowRunsStart.subject,
      FormRevenue.subject,
    ],
    erases: true,
  },
  segments: {
    stream: 'segments',
    requests: [
      ContactsFind.subject,
      ContactsPage.subject,
      AccountsWithContacts.subject,
      AttributeTypesOf.subject,
      ...sources,
      ...Object.values(backlogRequests).map(({ subject }) => subject),
      workflows.subject,
    ],
  },
  campaigns: {
    stream: 'campaigns',
    requests: [
      ContactsFind.subject,
      ContactsPage.subject,
      ContactsSuppressed.subject,
      AttributeTypesOf.subject,
      VisitorToken.subject,
      SegmentMembersPage.subject,
      SegmentsExist.subject,
      SegmentsCaughtUp.subject,
      ...sources,
    ],
  },
  leadpulse: { stream: 'leadpulse', requests: [ContactsFind.subject, SegmentMembersAdd.subject, KeyCharged.subject] },
  workflows: {
    stream: 'workflows',
    requests: [
      ContactsFind.subject,
      ContactsPage.subject,
      AttributeTypesOf.subject,
      ContactFieldsChecked.subject,
      CampaignTemplate.subject,
      CampaignCoupons.subject,
      WorkflowEmails.subject,
      EventContactsPage.subject,
      EventContactsCount.subject,
      RequestCharged.subject,
      UsersExist.subject,
      RuleEvaluated.subject,
      SegmentMemberChange.subject,
      SegmentMembersCount.subject,
      SegmentMembersPage.subject,
      SegmentsExist.subject,
      SegmentsCaughtUp.subject,
      ...sources,
      segments.subject,
    ],
  },
};

export type Speaker = { name: string; consumers: readonly Pick<Consumer, 'name' | 'reads'>[] };

export type Rights = { publish: string[]; subscribe: string[] };

/** What the NATS user of a service can publish and subscribe to: its own events, requests, replies and consumers. */
export function rightsOf({ name, consumers }: Speaker, namespace = ''): Rights {
  const speaker = speakers[ServiceName.parse(name)];
  const subject = (text: string) => (namespace ? `${namespace}.${text}` : text);
  const stream = (key: Stream) => (namespace ? `${namespace}_${streams[key].name}` : streams[key].name);
  const streamRead = ({ reads }: Speaker['consumers'][number]) => (namespace ? `${namespace}_${reads.stream.name}` : reads.stream.name);
  const own = [stream(speaker.stream), stream('dead')];
  const erased = speaker.erases ? streamKeys.map(stream) : [];
  return {
    publish: [
      subject(streams[speaker.stream].subject),
      subject(wakeSubject(name)),
      ...speaker.requests.map(subject),
      ...own.flatMap((made) => [`$JS.API.STREAM.CREATE.${made}`, `$JS.API.STREAM.UPDATE.${made}`]),
      ...[...new Set([...own, ...consumers.map(streamRead)])].map((name) => `$JS.API.STREAM.INFO.${name}`),
      ...erased.flatMap((name) => [
        ...['STREAM.INFO', 'STREAM.MSG.DELETE'].map((request) => `$JS.API.${request}.${name}`),
        ...['CREATE', 'INFO', 'MSG.NEXT', 'DELETE'].map((request) => `$JS.API.CONSUMER.${request}.${name}.*`),
      ]),
      ...consumers.flatMap((consumer) => [
        subject(`dead.${consumer.name}`),
        ...consumer.reads.readers.flatMap(({ durable, filter }) => {
          const reader = `${streamRead(consumer)}.${durable}`;
          return [
            `$JS.API.CONSUMER.CREATE.${reader}.${subject(filter)}`,
            `$JS.API.CONSUMER.INFO.${reader}`,
            `$JS.API.CONSUMER.MSG.NEXT.${reader}`,
            `$JS.ACK.${reader}.>`,
            // The longer form, with domain and account, that a server in a domain uses.
            `$JS.ACK.*.*.${reader}.>`,
          ];
        }),
      ]),
    ],
    subscribe: [`_INBOX_${name}.>`, subject(`rpc.${name}.>`), subject(wakeSubject(name)), ...(speaker.listens ?? []).map(subject)],
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
        # A service can reply to a request at its reply subject.
        allow_responses: true
      }
    }
`;
  });
  return `# Generated by \`npm run generate\` from deploy/nats/users.ts and the consumers of each service.
# nats-server must not parse a password as a number: start it with a letter.
authorization: {
  users: [
    # The operator of the platform: streams, backups, the nats command.
    { user: operator, password: $OPERATOR_NATS_PASSWORD }
${users.join('')}  ]
}
`;
}

/** A script that creates the same users as JWTs with `nsc`. A user's JWT would be too long for its permissions, so an account's key has them. */
export function nscScript(list: readonly Speaker[], namespace = ''): string {
  const users = list.map((speaker) => {
    const { publish, subscribe } = rightsOf(speaker, namespace);
    return `user ${speaker.name} \\\n  '${publish.join(',')}' \\\n  '${subscribe.join(',')}'\n`;
  });
  return `#!/bin/sh
# Generated by \`npm run generate\` from deploy/nats/users.ts and the consumers of each service.
#
#   sh add-users.sh [account]      the account is called platform by default
#
# Creates a user per service with nsc, and a credentials file for each in the current folder. A signing key of the account has the
# permissions of a service, and nothing else: for a new version, run this again in the same folder and push the account; the
# credentials stay valid.
set -eu
umask 077
account=\${1:-platform}

credentials() { # name of the user, and the options with which nsc adds it
  name=$1
  shift
  [ ! -e "$name.creds" ] || return 0
  nsc describe user --account "$account" --name "$name" > /dev/null 2>&1 || nsc add user --account "$account" --name "$name" "$@"
  nsc generate creds --account "$account" --name "$name" > "$name.part"
  mv "$name.part" "$name.creds"
}

user() { # name, subjects to publish and to subscribe to
  if [ ! -e "$1.key" ]; then
    key=$(nsc generate nkey --account --store 2>&1 | grep -xE 'A[A-Z2-7]{55}')
    echo "$key" > "$1.key"
  fi
  key=$(cat "$1.key")
  # nsc only adds permissions to a key, so the key is first removed with its former ones.
  nsc edit account --name "$account" --rm-sk "$key"
  nsc edit signing-key --account "$account" --sk "$key" --role "$1" --allow-pub "$2" --allow-sub "$3" --allow-pub-response
  credentials "$1" --private-key "$key"
}

# The operator of the platform, with all permissions: streams, backups, the nats command.
credentials operator
${users.join('')}`;
}
