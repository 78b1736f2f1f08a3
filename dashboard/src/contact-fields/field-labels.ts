const fieldLabels: Readonly<Record<string, string>> = {
  email: 'Email',
  phone: 'Phone',
  external_id: 'External ID',
  first_name: 'First name',
  last_name: 'Last name',
  company: 'Company',
  job_title: 'Job title',
  locale: 'Language',
  timezone: 'Time zone',
  'address.line1': 'Street',
  'address.line2': 'Address line 2',
  'address.city': 'City',
  'address.region': 'Region',
  'address.postal_code': 'Postal code',
  'address.country': 'Country',
  city: 'City',
  country: 'Country',
  tags: 'Tags',
  status: 'Status',
  source: 'Source',
  'consent.email': 'Email consent',
  'consent.sms': 'SMS consent',
  created_at: 'Date created',
  updated_at: 'Date updated',
  last_seen_at: 'Last seen',
};

export const fieldNames = Object.keys(fieldLabels).filter((name) => name !== 'city' && name !== 'country');

export const fieldLabel = (field: string) =>
  field.startsWith('attributes.') ? field.slice('attributes.'.length) : (fieldLabels[field] ?? field);
