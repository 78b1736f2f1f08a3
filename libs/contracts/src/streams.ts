/** A JetStream stream: the subjects it stores, for how many days, and the service that publishes to it, if it is a single one. */
export type StreamDefinition = { name: string; subject: string; keepDays: number; publisher?: string };

/** Every stream of the platform. MongoDB is the source of truth: if a stream is lost, its publisher fills it again from the outbox. */
export const streams = {
  platform: { name: 'PLATFORM', subject: 'platform.>', keepDays: 7, publisher: 'gateway' },
  contacts: { name: 'CONTACTS', subject: 'contacts.>', keepDays: 7, publisher: 'contacts' },
  segments: { name: 'SEGMENTS', subject: 'segments.>', keepDays: 7, publisher: 'segments' },
  campaigns: { name: 'CAMPAIGNS', subject: 'campaigns.>', keepDays: 7, publisher: 'campaigns' },
  leadpulse: { name: 'LEADPULSE', subject: 'leadpulse.>', keepDays: 7, publisher: 'leadpulse' },
  workflows: { name: 'WORKFLOWS', subject: 'workflows.>', keepDays: 7, publisher: 'workflows' },
  dead: { name: 'DEAD', subject: 'dead.>', keepDays: 30 },
} as const satisfies Record<string, StreamDefinition>;
