import { MarketingPlatform } from '@marketing-platform/sdk';
import { currentProfile, type Profile } from './profiles.ts';
import { UsageError } from './usage-error.ts';

/** The SDK with the credentials of a profile. An OAuth client gets a new token for each command. */
export async function connectTo({ url, key, client_id, client_secret }: Profile): Promise<MarketingPlatform> {
  if (key !== undefined) return new MarketingPlatform({ apiKey: key, baseUrl: url });
  if (client_id === undefined || client_secret === undefined) throw new UsageError('Not logged in. Run "mp login", or set MP_API_KEY.');
  const anonymous = new MarketingPlatform({ apiKey: 'none', baseUrl: url });
  const { access_token } = await anonymous.oauth.createToken({ grant_type: 'client_credentials', client_id, client_secret });
  return new MarketingPlatform({ apiKey: access_token, baseUrl: url });
}

export const connect = async (profile?: string) => connectTo(await currentProfile(profile));
