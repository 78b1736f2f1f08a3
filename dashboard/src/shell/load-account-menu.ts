/** The menu of the user is loaded after the page that it is beside. */
export const loadAccountMenu = async () => ({ default: (await import('./account-menu.tsx')).AccountMenu });
