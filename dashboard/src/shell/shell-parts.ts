import { loadAccountMenu } from './load-account-menu.ts';

const loadDrawer = async () => ({ default: (await import('./navigation-drawer.tsx')).NavigationDrawer });
const loadStepUp = async () => ({ default: (await import('../session/step-up-dialog.tsx')).StepUpDialog });
const loadMentions = async () => ({ default: (await import('../comments/mentions-menu.tsx')).MentionsMenu });
const loadCommands = () => import('../palette/commands.tsx');

/** What the shell loads after the page that it surrounds. */
export const shellParts = [loadAccountMenu, loadDrawer, loadStepUp, loadMentions, loadCommands];
export { loadCommands, loadDrawer, loadMentions, loadStepUp };
