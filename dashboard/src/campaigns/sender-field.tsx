import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { senderAddresses } from '../sending/sender-addresses.ts';
import { useSenders } from '../sending/senders.ts';
import { useCampaigns } from './campaigns.ts';

const maxShown = 12;

/** The address that emails are sent from, with suggestions; any other address is also accepted. */
export function SenderField({ value = '', ...input }: Omit<AutocompleteProps, 'data'>) {
  const { rows } = useCampaigns({}, 100);
  const { data: senders = [] } = useSenders();
  const used = rows.map(({ from }) => from.email);
  const domains = senders.filter(({ status }) => status === 'verified').map(({ domain }) => domain);
  return (
    <Autocomplete type="email" autoComplete="off" {...input} value={value} data={senderAddresses(value, used, domains)} limit={maxShown} />
  );
}
