import type { Parts } from '@mp/service-kit/parts';
import { createAdministrators } from './administrators.ts';
import type { GatewayState } from './state.ts';
import type { Mailer } from './users/mailer.ts';

export type SettingsConfig = { publicUrl: string; mailer: Mailer };

export type SettingsParts = ReturnType<typeof settingsParts>;

/** The dependencies of the settings endpoints. */
export function settingsParts({ transact, cursors, mongo }: Parts, state: GatewayState, config: SettingsConfig) {
  const { stores, quota, now, lastUsed, forgetHolder } = state;
  return {
    ...stores,
    ...config,
    administrators: createAdministrators(stores),
    transact,
    cursors,
    mongo,
    quota,
    now,
    lastUsed,
    forgetHolder,
  };
}
