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
  campaigns: { id: string; subject: string }[];
  submitted: Set<string>;
  writes: number;
};

export const emptyModel = (): Model => ({
  ...{ people: [], created: new Map(), campaigns: [], submitted: new Set(), writes: 0 },
});

export const levelOfSegment = 3;
export const visitsOfSegment = 2;
/** The effects of a run that an order starts: this tag, and an event of its own. */
export const orderedTag = 'ordered';

export const living = ({ people }: Model) => people.filter(({ id }) => id !== undefined);
