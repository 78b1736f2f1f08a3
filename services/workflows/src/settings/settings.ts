import { QuietHours } from '@mp/contracts/quiet-hours';
import { settingsRevision } from '@mp/service-kit/settings-revision';
import { z } from 'zod';

/** An account's settings for all its workflows. */
export const WorkflowSettings = z.object({
  quiet_hours: QuietHours.nullable().describe('The quiet hours of workflows that have none of their own; null for none.'),
  approval: z
    .enum(['off', 'always'])
    .describe(
      'Whether a second person must approve a workflow before it is activated: never (`off`, the default) or `always`. Only owners and admins who are signed in can change it. Workflows that are active stay active, and those that await approval still do.',
    ),
});
export type WorkflowSettings = z.output<typeof WorkflowSettings>;

export const WorkflowSettingsView = WorkflowSettings.extend({ revision: settingsRevision }).meta({ id: 'WorkflowSettings' });

export const defaultSettings: WorkflowSettings = { quiet_hours: null, approval: 'off' };
