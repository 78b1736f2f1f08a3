import { createAttributeTypes } from '@mp/service-kit/attribute-types';
import type { Server } from '@mp/service-kit/create-server';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Segments } from './build-segments.ts';
import type { AwaitConsistency } from './consistency/await-consistency.ts';
import { addSegmentContacts } from './memberships/add-segment-contacts.ts';
import { explainMembership } from './memberships/explain-membership.ts';
import { listContactSegments } from './memberships/list-contact-segments.ts';
import { listMembers } from './memberships/list-members.ts';
import { listMembershipChanges } from './memberships/list-membership-changes.ts';
import { removeSegmentContacts } from './memberships/remove-segment-contacts.ts';
import type { FindContacts } from './profiles/find-contacts.ts';
import { createFindSurvivor } from './profiles/find-survivor.ts';
import { archiveSegment } from './segments/archive-segment.ts';
import type { ReadBacklog } from './segments/backlog.ts';
import { createSegment } from './segments/create-segment.ts';
import { deleteSegment } from './segments/delete-segment.ts';
import { createFindWarnings } from './segments/find-warnings.ts';
import { createFitDefinition } from './segments/fit-definition.ts';
import { getSegment } from './segments/get-segment.ts';
import { getSegmentSeries } from './segments/get-segment-series.ts';
import { listSegmentVersions } from './segments/list-segment-versions.ts';
import { listSegments } from './segments/list-segments.ts';
import { createPreview } from './segments/preview.ts';
import { previewSegment } from './segments/preview-segment.ts';
import { createRequireUnused } from './segments/require-unused.ts';
import { restoreSegment } from './segments/restore-segment.ts';
import { updateSegment } from './segments/update-segment.ts';

type Wiring = {
  parts: Pick<Parts, 'mongo' | 'broker' | 'logger' | 'cursors' | 'transact'>;
  built: Segments;
  findContacts: FindContacts;
  awaitConsistency: AwaitConsistency;
  readBacklog: ReadBacklog;
  previewMs: number | undefined;
};

/** Every route of the service. */
export function addRoutes(app: Server, { parts, built, findContacts, awaitConsistency, readBacklog, previewMs }: Wiring) {
  const { mongo, broker, transact, cursors } = parts;
  const { clock, segments, versions, growth, profiles, readActivities: activities, memberships, backfills, counts, references } = built;
  const { runner, changeMembers } = built;
  const typesOf = createAttributeTypes(parts);
  const fitDefinition = createFitDefinition({ typesOf });
  const findWarnings = createFindWarnings({ names: built.names, typesOf });
  const findSurvivor = createFindSurvivor(broker);
  const preview = createPreview({ profiles, memberships, activities, clock });
  const requireUnused = createRequireUnused({ segments, references });

  listSegments(app, { segments, counts });
  createSegment(app, { segments, fitDefinition, findWarnings, counts, versions, backfills, runner, transact, clock });
  previewSegment(app, { segments, fitDefinition, findWarnings, profiles, preview, cursors, budgetMs: previewMs });
  getSegment(app, { segments, findWarnings, counts, readBacklog });
  updateSegment(app, { segments, fitDefinition, findWarnings, counts, versions, backfills, runner, transact, clock });
  deleteSegment(app, { segments, counts, versions, backfills, requireUnused, awaitConsistency, runner, transact });
  archiveSegment(app, { segments, counts, requireUnused, awaitConsistency, transact, clock });
  restoreSegment(app, { segments, counts, versions, backfills, runner, transact, clock });
  listMembers(app, { segments, memberships, profiles, awaitConsistency, cursors, broker });
  listContactSegments(app, { segments, memberships, profiles, findSurvivor, cursors });
  addSegmentContacts(app, { segments, findContacts, changeMembers, transact });
  removeSegmentContacts(app, { segments, findContacts, changeMembers, transact });
  listMembershipChanges(app, { segments, memberships, cursors });
  getSegmentSeries(app, { segments, counts, growth, clock });
  listSegmentVersions(app, { segments, versions });
  explainMembership(app, { mongo, segments, memberships, profiles, activities, findSurvivor, clock });
}
