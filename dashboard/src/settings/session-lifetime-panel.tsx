import { AccountChoice } from './account-choice.tsx';

const lifetimes = [
  [8, '8 hours'],
  [24, '1 day'],
  [72, '3 days'],
  [168, '7 days'],
] as const;

export const SessionLifetimePanel = ({ account: { session_lifetime_hours } }: { account: { session_lifetime_hours: number } }) => (
  <AccountChoice
    title="Session lifetime"
    label="Sign out at the latest after"
    description="However much they use the dashboard, users must then sign in again."
    field="session_lifetime_hours"
    value={session_lifetime_hours}
    offered={lifetimes}
    otherwise={(hours) => `${hours} hours`}
  />
);
