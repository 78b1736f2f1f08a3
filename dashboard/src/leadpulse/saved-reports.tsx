import { useNavigate } from '@tanstack/react-router';
import { isEqual } from '../json/is-equal.ts';
import { defaultDays } from './leadpulse-search.ts';
import { type ReportRequest, type ReportSearch, requestOf, searchOf } from './report-search.ts';
import { SavedMenu } from './saved-menu.tsx';
import type { NewSavedReport } from './use-saved-reports.ts';

/** A report as it is saved: its request, and the days or the fixed range. */
function savedOf(name: string, wanted: ReportRequest, { days = defaultDays, from, to }: ReportSearch): NewSavedReport {
  const range = from !== undefined && to !== undefined ? { from, to } : undefined;
  const at = { name, days: range ? null : days };
  // One branch for each kind, because the request belongs to its kind.
  if (wanted.kind === 'funnel') return { ...at, report: { kind: 'funnel', request: { ...wanted.request, ...range } } };
  if (wanted.kind === 'retention') return { ...at, report: { kind: 'retention', request: { ...wanted.request, ...range } } };
  return { ...at, report: { kind: 'paths', request: { ...wanted.request, ...range } } };
}

/** What two pages must have in common to show the same report. */
const shownBy = (search: ReportSearch) => ({
  ...requestOf(search),
  days: search.from === undefined ? (search.days ?? defaultDays) : null,
  from: search.from,
  to: search.to,
});

/** The saved funnels, retention and paths reports. */
export function SavedReports({ search }: { search: ReportSearch }) {
  const navigate = useNavigate();
  const wanted = requestOf(search);
  return (
    <SavedMenu
      noun="report"
      keeps="The report is recalculated whenever it is opened."
      searchOf={searchOf}
      isShown={(saved) => isEqual(shownBy(saved), shownBy(search))}
      onShow={(saved) => void navigate({ to: '/leadpulse/reports', search: saved })}
      toSave={wanted && ((name) => savedOf(name, wanted, search))}
    />
  );
}
