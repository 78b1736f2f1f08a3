import { QuietHours } from '@mp/contracts/quiet-hours';
import { settingsRevision } from '@mp/service-kit/settings-revision';
import { z } from 'zod';

/** An account's settings for all its workflows. */
export const WorkflowSettings = z.object({
  quiet_hours: QuietHours.nullable().describe('The quiet hours of workflows that have none of their own; null for none.'),
});
export type WorkflowSettings = z.output<typeof WorkflowSettings>;

export const WorkflowSettingsView = WorkflowSettings.extend({ revision: settingsRevision }).meta({ id: 'WorkflowSettings' });

export const defaultSettings: WorkflowSettings = { quiet_hours: null };
