/** A JetStream stream: who publishes into it, and which subjects it keeps. */
export type StreamDefinition = { name: string; subject: string; keepDays: number };

/** Every stream of the platform. They can be thrown away: MongoDB is the truth, `npm run republish` fills them again. */
export const streams = {
  platform: { name: 'PLATFORM', subject: 'platform.>', keepDays: 7 },
  contacts: { name: 'CONTACTS', subject: 'contacts.>', keepDays: 7 },
  segments: { name: 'SEGMENTS', subject: 'segments.>', keepDays: 7 },
  campaigns: { name: 'CAMPAIGNS', subject: 'campaigns.>', keepDays: 7 },
  leadpulse: { name: 'LEADPULSE', subject: 'leadpulse.>', keepDays: 7 },
  workflows: { name: 'WORKFLOWS', subject: 'workflows.>', keepDays: 7 },
  dead: { name: 'DEAD', subject: 'dead.>', keepDays: 30 },
} as const satisfies Record<string, StreamDefinition>;
