/** What the platform has acknowledged of one person. Only one client writes to a person, one request at a time. */
export type Person = {
  externalId: string;
  email: string;
  /** The ID of the contact; undefined until it is created, and after it was deleted. */
  id: string | undefined;
  level: number;
  visits: number;
  orders: number;
};

/** What must be true at the end, kept apart from the platform. */
export type Model = {
  people: Person[];
  /** The emails of all contacts that were ever created, by ID. */
  created: Map<string, string>;
  /** `members`: who was in its segment when it was sent. */
  campaigns: { id: string; subject: string; members: readonly Person[] }[];
  submitted: Set<string>;
  /** Submissions without a response, which may have been stored or not. */
  doubtful: Set<string>;
  writes: number;
};

export const emptyModel = (): Model => ({
  ...{ people: [], created: new Map(), campaigns: [], submitted: new Set(), doubtful: new Set(), writes: 0 },
});

export const levelOfSegment = 2;
export const isOfLevel = ({ level }: Person) => level >= levelOfSegment;
export const visitsOfSegment = 2;
/** The effects of a run that an order starts: this tag, and an event of its own. */
export const orderedTag = 'ordered';

/** The events that both receivers of webhooks want. */
export const receivedTypes = ['contact.created', 'segment.entered', 'workflow.run_completed'] as const;

export const living = ({ people }: Model) => people.filter(({ id }) => id !== undefined);
