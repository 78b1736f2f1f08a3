import type { EventType } from '../event.ts';
import * as campaigns from './campaigns.ts';
import * as contacts from './contacts.ts';
import * as leadpulse from './leadpulse.ts';
import * as platform from './platform.ts';
import * as segments from './segments.ts';
import * as workflows from './workflows.ts';

/** Every event of the platform, for documentation and tests. Services import only the events they publish or consume. */
export const eventTypes: readonly EventType[] = [platform, contacts, segments, campaigns, leadpulse, workflows].flatMap((publisher) =>
  Object.values(publisher),
);
