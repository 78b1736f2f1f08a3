import { TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { required } from '../form/required.ts';
import { originsError } from './origins.ts';

export type SiteDraft = { name: string; origins: string[] };

export const validateSite = { name: required('Enter a name.'), origins: originsError };

/** The fields of a new or edited website. */
export const SiteFields = ({ form }: { form: UseFormReturnType<SiteDraft> }) => (
  <>
    <TextInput data-autofocus label="Name" placeholder="Shop" autoComplete="off" {...form.getInputProps('name')} />
    <TagsInput
      label="Website addresses"
      description="Only pages at these addresses are counted, such as https://shop.example.com or https://*.example.com. Press Enter after each."
      acceptValueOnBlur
      {...form.getInputProps('origins')}
    />
  </>
);
