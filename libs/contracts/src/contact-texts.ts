/** The fields of a contact that are one text about the person, or null. */
export const contactTexts = [
  'email',
  'phone',
  'external_id',
  'first_name',
  'last_name',
  'company',
  'job_title',
  'locale',
  'timezone',
] as const;
