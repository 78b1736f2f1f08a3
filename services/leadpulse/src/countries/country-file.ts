import { readFile, stat } from 'node:fs/promises';
import type { Logger } from '@mp/service-kit/logger';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import ipaddr from 'ipaddr.js';
import { Reader } from 'mmdb-lib';
import { z } from 'zod';

/** Returns the ISO 3166-1 alpha-2 code of the country of an IP address; null if it is unknown. */
export type CountryOf = (address: string) => string | null;

export type CountryFile = { countryOf: CountryOf; background: Runner };

const lookEveryMs = 10_000;
const idleMs = 60 * 60_000;

const Code = z.string().regex(/^[A-Z]{2}$/);

/** The forms in which databases state the country: MaxMind and DB-IP, IPinfo, and IP2Location. */
const Row = z.union([
  z.object({ country: z.object({ iso_code: Code }) }).transform(({ country }) => country.iso_code),
  z.object({ country_code: Code }).transform(({ country_code }) => country_code),
  z.object({ country: Code }).transform(({ country }) => country),
]);

/**
 * Countries from the operator's database in the MMDB format. The file is read again after a change, and a file that cannot be read
 * replaces none that could: until there is one, and without a path, no country is known.
 */
export function createCountryFile(
  path: string | undefined,
  { logger }: { logger: Pick<Logger, 'info' | 'warn'> },
  everyMs = lookEveryMs,
): CountryFile {
  let reader: Reader<object> | undefined;
  let version = '';

  const background = createRunner({
    logger,
    warning: 'cannot read the file of countries (GEOIP_FILE); retrying',
    lookEveryMs: everyMs,
    backoffMs: { first: everyMs, max: everyMs },
    async work() {
      if (path === undefined) return idleMs;
      // Not watched: Kubernetes replaces a link to the folder of a mounted file.
      const { mtimeMs, size, ino } = await stat(path);
      const present = [mtimeMs, size, ino].join(' ');
      if (present === version) return false;
      reader = new Reader<object>(await readFile(path));
      version = present;
      logger.info({ built: reader.metadata.buildEpoch, type: reader.metadata.databaseType }, 'loaded the countries from GEOIP_FILE');
      return false;
    },
  });

  return {
    countryOf(address) {
      if (!reader || !ipaddr.isValid(address)) return null;
      const found = Row.safeParse(reader.get(ipaddr.process(address).toString()));
      return found.success ? found.data : null;
    },
    background,
  };
}
