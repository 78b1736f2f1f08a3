import { useLocation } from '@tanstack/react-router';
import { sectionOf } from '../navigation/places.ts';
import { PageTabs, TabLink } from '../page/page-tabs.tsx';

/** The tabs of a section, on each of their pages. What is below one of them leads back to it instead. */
export function SectionTabs() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const section = sectionOf(path);
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
