import { useNavigate } from '@tanstack/react-router';
import { isEqual } from '../json/is-equal.ts';
import { defaultDays, type TrafficSearch, trafficSearch } from './leadpulse-search.ts';
import { SavedMenu } from './saved-menu.tsx';
import { reportOf, viewOf } from './traffic-report.ts';

/** What a saved report stores of a view; its tabs are not part of it. */
const savedPart = (search: TrafficSearch) => {
  // The router also gives what the page ignores, such as the usual comparison.
  const { days = defaultDays, from, ...rest } = trafficSearch(search);
  const { metric, sources, pages, locations, devices, events, ...stored } = rest;
  return from === undefined ? { ...stored, days } : { ...stored, from };
};

/** The saved views of the traffic page. */
export function SavedViews({ search }: { search: TrafficSearch }) {
  const navigate = useNavigate();
  return (
    <SavedMenu
      noun="view"
      keeps="The view keeps its range, comparison and filters."
      searchOf={viewOf}
      isShown={(saved) => isEqual(savedPart(saved), savedPart(search))}
      onShow={(saved) => void navigate({ to: '/leadpulse', search: saved })}
      toSave={(name) => reportOf(name, search)}
    />
  );
}
