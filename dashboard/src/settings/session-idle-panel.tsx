import { AccountChoice } from './account-choice.tsx';

const offered = [
  [30, '30 minutes'],
  [60, '1 hour'],
  [480, '8 hours'],
  [1_440, '1 day'],
  [4_320, '3 days'],
  [10_080, '7 days'],
] as const;

export const SessionIdlePanel = ({ account: { session_idle_minutes } }: { account: { session_idle_minutes: number } }) => (
  <AccountChoice
    title="Sessions"
    label="Sign out after"
    description="Users who have not used the dashboard for this time must sign in again."
    field="session_idle_minutes"
    value={session_idle_minutes}
    offered={offered}
    otherwise={(minutes) => `${minutes} minutes`}
  />
);
