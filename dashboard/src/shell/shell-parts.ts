const loadMenu = async () => ({ default: (await import('./account-menu.tsx')).AccountMenu });
const loadDrawer = async () => ({ default: (await import('./navigation-drawer.tsx')).NavigationDrawer });
const loadStepUp = async () => ({ default: (await import('../session/step-up-dialog.tsx')).StepUpDialog });
const loadCommands = () => import('../palette/commands.tsx');

/** What the shell loads after the page that it surrounds. */
export const shellParts = [loadMenu, loadDrawer, loadStepUp, loadCommands];
export { loadCommands, loadDrawer, loadMenu, loadStepUp };
