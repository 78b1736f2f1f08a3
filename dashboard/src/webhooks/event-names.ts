const groups: Readonly<Record<string, string>> = {
  api_key: 'API keys',
  audit_entry: 'the audit log',
  campaign: 'campaigns',
  contact: 'contacts',
  event: 'tracked events',
  export: 'exports',
  import: 'imports',
  message: 'emails',
  segment: 'segments',
  visitor: 'visitors',
  workflow: 'workflows',
};

/** What a webhook receives, in words. `summary` gives that of a type of event. */
export function receivedLabel(name: string, summary: (type: string) => string | undefined = () => undefined): string {
  if (name === '*') return 'All events except the audit log';
  const [group = name, rest] = name.split('.');
  return rest === '*' ? `Everything about ${groups[group] ?? group}` : (summary(name) ?? name);
}
