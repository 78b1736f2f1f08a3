/** The fields of a contact that hold a single text or null. */
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
