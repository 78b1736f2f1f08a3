import { FrequencyCapChanged } from '@mp/contracts/events/campaigns';
import type { Clock } from '@mp/service-kit/clock';
import { on } from '@mp/service-kit/consume';
import type { SettingsStore } from './settings-store.ts';

type Deps = { settings: Pick<SettingsStore, 'capChanged'>; recheckHeld: () => void; clock: Clock };

/** Lets the runs that wait for the frequency cap try again. */
export const onFrequencyCapChanged = ({ settings, recheckHeld, clock }: Deps) =>
  on(FrequencyCapChanged, async (tx, { account_id }) => {
    await settings.capChanged(tx, account_id, clock());
    tx.afterCommit(recheckHeld);
  });
