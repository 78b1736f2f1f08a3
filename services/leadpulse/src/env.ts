import { commonEnv, port } from '@mp/service-kit/env';
import { z } from 'zod';

export const leadpulseEnv = {
  ...commonEnv,
  PORT: port(4004),
  GEOIP_FILE: z
    .string()
    .optional()
    .describe(
      'Path of a database of countries by IP address in the MMDB format, such as `GeoLite2-Country.mmdb`. It is read again when it changes. ' +
        'Without it, LeadPulse knows only the countries that API callers send.',
    ),
};
