import { base, de, en, en_GB, en_US, es, Faker, fr, ja, type LocaleDefinition, pl, pt_BR } from '@faker-js/faker';

/** Where the demo contacts live: their share in percent, their language, and the format of their addresses. */
const places: {
  share: number;
  locale: string;
  country: string;
  timezone: string;
  cities: readonly string[];
  phone: string;
  definition: LocaleDefinition;
}[] = [
  {
    share: 24,
    locale: 'en-US',
    country: 'US',
    timezone: 'America/New_York',
    cities: ['New York', 'Boston', 'Austin', 'Chicago'],
    phone: '+1212555',
    definition: en_US,
  },
  {
    share: 20,
    locale: 'de-DE',
    country: 'DE',
    timezone: 'Europe/Berlin',
    cities: ['Berlin', 'Hamburg', 'München', 'Köln'],
    phone: '+4930901',
    definition: de,
  },
  {
    share: 16,
    locale: 'en-GB',
    country: 'GB',
    timezone: 'Europe/London',
    cities: ['London', 'Leeds', 'Glasgow'],
    phone: '+44207946',
    definition: en_GB,
  },
  {
    share: 12,
    locale: 'fr-FR',
    country: 'FR',
    timezone: 'Europe/Paris',
    cities: ['Paris', 'Lyon', 'Nantes'],
    phone: '+3314276',
    definition: fr,
  },
  {
    share: 10,
    locale: 'es-ES',
    country: 'ES',
    timezone: 'Europe/Madrid',
    cities: ['Madrid', 'Barcelona', 'Sevilla'],
    phone: '+3491521',
    definition: es,
  },
  {
    share: 8,
    locale: 'pt-BR',
    country: 'BR',
    timezone: 'America/Sao_Paulo',
    cities: ['São Paulo', 'Recife'],
    phone: '+55113100',
    definition: pt_BR,
  },
  {
    share: 6,
    locale: 'pl-PL',
    country: 'PL',
    timezone: 'Europe/Warsaw',
    cities: ['Warszawa', 'Kraków'],
    phone: '+4822621',
    definition: pl,
  },
  { share: 4, locale: 'ja-JP', country: 'JP', timezone: 'Asia/Tokyo', cities: ['東京', '大阪'], phone: '+8133500', definition: ja },
];

const plans = ['free', 'free', 'free', 'starter', 'starter', 'pro', 'enterprise'] as const;
const interests = ['analytics', 'automation', 'design', 'events', 'pricing', 'integrations'] as const;

/** Always the same people: the seed is fixed, and each has a unique `external_id`. */
export function* demoPeople(count: number) {
  const fakers = places.map(({ definition }) => new Faker({ locale: [definition, en, base], seed: 4_711 }));
  const dice = new Faker({ locale: [en_US, en, base], seed: 42 });
  const wheel = places.flatMap((place, index) => Array.from({ length: place.share }, () => index));
  for (let number = 0; number < count; number += 1) {
    const index = dice.helpers.arrayElement(wheel);
    const [place, faker] = [places[index], fakers[index]];
    if (!place || !faker) continue;
    const plan = dice.helpers.arrayElement(plans);
    yield {
      external_id: `demo-${number}`,
      email: `person${number}@${dice.helpers.arrayElement(['mail', 'post', 'inbox'])}.example`,
      first_name: faker.person.firstName(),
      last_name: faker.person.lastName(),
      company: dice.datatype.boolean(0.6) ? faker.company.name().slice(0, 200) : null,
      job_title: dice.datatype.boolean(0.5) ? dice.person.jobTitle() : null,
      locale: place.locale,
      timezone: place.timezone,
      phone: dice.datatype.boolean(0.2) ? `${place.phone}${String(number).padStart(4, '0')}` : null,
      address: { city: dice.helpers.arrayElement(place.cities), country: place.country },
      tags: dice.helpers.arrayElements(interests, { min: 0, max: 3 }),
      attributes: {
        plan,
        seats: plan === 'free' ? 1 : dice.number.int({ min: 2, max: 120 }),
        trial: plan === 'free' && dice.datatype.boolean(0.4),
      },
      consent: {
        email: {
          status: dice.helpers.weightedArrayElement([
            { weight: 88, value: 'subscribed' },
            { weight: 7, value: 'unsubscribed' },
            { weight: 5, value: 'pending' },
          ]),
        },
      },
      source: dice.helpers.arrayElement(['website', 'import', 'event', 'referral']),
    };
  }
}
