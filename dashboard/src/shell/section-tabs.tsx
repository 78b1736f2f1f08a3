import { useLocation } from '@tanstack/react-router';
import { sectionOf, shownSections } from '../navigation/places.ts';
import { PageTabs, TabLink } from '../page/page-tabs.tsx';
import { usePermission } from '../session/permission.ts';

/** The tabs of a section, on each of their pages. What is below one of them leads back to it instead. */
export function SectionTabs() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { isShown } = usePermission();
  const section = sectionOf(path, shownSections(isShown));
  if (!section?.tabs.some(({ to }) => to === path)) return null;
  return (
    <PageTabs label={`Pages of ${section.name}`} isBar>
      {section.tabs.map(({ to, name }) => (
        <TabLink key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </TabLink>
      ))}
    </PageTabs>
  );
}
