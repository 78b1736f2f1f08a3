/** A JetStream stream: the service that publishes into it, where it is one, and which subjects it keeps. */
export type StreamDefinition = { name: string; subject: string; keepDays: number; publisher?: string };

/** Every stream of the platform. They can be lost: MongoDB is the truth, and their publishers fill them again. */
export const streams = {
  platform: { name: 'PLATFORM', subject: 'platform.>', keepDays: 7, publisher: 'gateway' },
  contacts: { name: 'CONTACTS', subject: 'contacts.>', keepDays: 7, publisher: 'contacts' },
  segments: { name: 'SEGMENTS', subject: 'segments.>', keepDays: 7, publisher: 'segments' },
  campaigns: { name: 'CAMPAIGNS', subject: 'campaigns.>', keepDays: 7, publisher: 'campaigns' },
  leadpulse: { name: 'LEADPULSE', subject: 'leadpulse.>', keepDays: 7, publisher: 'leadpulse' },
  workflows: { name: 'WORKFLOWS', subject: 'workflows.>', keepDays: 7, publisher: 'workflows' },
  dead: { name: 'DEAD', subject: 'dead.>', keepDays: 30 },
} as const satisfies Record<string, StreamDefinition>;
