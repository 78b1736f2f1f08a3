import { z } from 'zod';

export const MembershipCause = z
  .enum(['contact', 'activity', 'time', 'definition', 'deletion', 'manual', 'copy', 'merge', 'backfill'])
  .describe(
    'What caused the change: `definition` is a new or edited segment, `manual` a request to add or remove contacts, `copy` a static ' +
      'segment created from another, `merge` a merge of contacts or its undoing, and `backfill` an event sent as a past one.',
  );
