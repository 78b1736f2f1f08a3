import { Button, ColorInput, Group, Image, Modal, NativeSelect, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { lazy, Suspense, useState } from 'react';
import { newDesign, placeholderUrl } from '../email-design/design.ts';
import { designToHtml } from '../email-design/design-to-html.ts';
import { SocialLinksFields } from '../email-design/social-links-fields.tsx';
import { MailFrame } from '../email-frame/email-frame.tsx';
import { shownSource } from '../email-frame/image-source.ts';
import classes from '../form/editor.module.css';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormGrid } from '../form/form-grid.tsx';
import { showSaved } from '../form/show-saved.ts';
import { Columns, Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { type Brand, useUpdateBrand } from './brand.ts';

const ImageDialog = lazy(() => import('../email-design/image-dialog.tsx').then(({ ImageDialog: loaded }) => ({ default: loaded })));

/** As typed: text instead of null. */
type BrandDraft = Omit<Brand, TextField> & Record<TextField, string>;
type TextField = 'company_name' | 'website_url' | 'logo_url' | 'postal_address' | 'footer_text';

const draftOf = (brand: Brand): BrandDraft => ({
  ...brand,
  company_name: brand.company_name ?? '',
  website_url: brand.website_url ?? '',
  logo_url: brand.logo_url ?? '',
  postal_address: brand.postal_address ?? '',
  footer_text: brand.footer_text ?? '',
});

const orNull = (text: string) => (text.trim() === '' ? null : text);

const brandOf = (draft: BrandDraft): Brand => ({
  ...draft,
  company_name: orNull(draft.company_name),
  website_url: orNull(draft.website_url),
  logo_url: orNull(draft.logo_url),
  postal_address: orNull(draft.postal_address),
  footer_text: orNull(draft.footer_text),
});

const fonts: { value: Brand['font']; label: string }[] = [
  { value: 'system', label: "The device's font" },
  { value: 'arial', label: 'Arial' },
  { value: 'georgia', label: 'Georgia' },
  { value: 'helvetica', label: 'Helvetica' },
  { value: 'tahoma', label: 'Tahoma' },
  { value: 'times', label: 'Times New Roman' },
  { value: 'trebuchet', label: 'Trebuchet' },
  { value: 'verdana', label: 'Verdana' },
];

const colors = [
  { name: 'primary', label: 'Buttons and links' },
  { name: 'text', label: 'Text' },
  { name: 'surface', label: 'Email background' },
  { name: 'background', label: 'Around the email' },
] as const;

const sample = (brand: Brand) =>
  designToHtml(
    newDesign(brand, [
      { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Your next email' }] },
      { type: 'paragraph', content: [{ type: 'text', text: 'This is how your emails look, with a link to your website and a button.' }] },
      { type: 'button', attrs: { label: 'Read more', href: placeholderUrl, align: 'left' } },
      { type: 'social' },
    ]),
  );

const isColor = (value: string) => /^#[0-9a-f]{6}$/i.test(value);

export function BrandForm({ brand }: { brand: Brand }) {
  const { mayWrite } = usePermission('campaigns');
  const form = useForm({ initialValues: draftOf(brand) });
  const update = useUpdateBrand();
  const [isChoosing, setChoosing] = useState(false);
  // While a color is typed, the last valid one is shown.
  const [shown, setShown] = useState(brand);
  const current = brandOf(form.values);
  if (JSON.stringify(current) !== JSON.stringify(shown) && Object.values(current.colors).every(isColor)) setShown(current);

  const save = (draft: BrandDraft) =>
    update.mutate(
      { before: brandOf(form.getInitialValues()), brand: brandOf(draft) },
      {
        onSuccess: (saved) => showSaved(form, draftOf(saved)),
      },
    );
  const logo = shownSource(form.values.logo_url);

  return (
    <Form form={form} saving={update} onSubmit={save}>
      <Columns>
        <Stack gap="lg">
          <Panel title="Logo">
            <Stack gap="sm">
              {logo && <Image src={logo} alt="The current logo" w={form.values.logo_width} maw="100%" />}
              <Group align="end" gap="sm">
                <Button variant="default" onClick={() => setChoosing(true)}>
                  {form.values.logo_url === '' ? 'Choose a logo' : 'Replace'}
                </Button>
                {form.values.logo_url !== '' && (
                  <Button variant="default" onClick={() => form.setFieldValue('logo_url', '')}>
                    Remove
                  </Button>
                )}
                <NumberInput label="Width (pixels)" w={140} min={16} max={600} allowDecimal={false} {...form.getInputProps('logo_width')} />
              </Group>
              {form.values.logo_url !== '' && !logo && (
                <Text size="xs" c="dimmed">
                  {form.values.logo_url}
                </Text>
              )}
            </Stack>
          </Panel>
          <Panel title="Colors and font">
            <Stack gap="sm">
              <FormGrid>
                {colors.map(({ name, label }) => (
                  <ColorInput
                    key={name}
                    label={label}
                    format="hex"
                    eyeDropperButtonProps={{ 'aria-label': `Pick the color: ${label}` }}
                    {...form.getInputProps(`colors.${name}`)}
                  />
                ))}
                <NativeSelect label="Font" data={fonts} {...form.getInputProps('font')} />
              </FormGrid>
            </Stack>
          </Panel>
          <Panel title="Company">
            <Stack gap="sm">
              <FormGrid>
                <TextInput label="Company name" autoComplete="organization" {...form.getInputProps('company_name')} />
                <TextInput
                  label="Website"
                  description="Where the buttons of a new email lead."
                  placeholder="https://example.com/"
                  {...form.getInputProps('website_url')}
                />
              </FormGrid>
              <Textarea
                label="Postal address"
                description="Many countries require it in marketing emails."
                autosize
                minRows={2}
                {...form.getInputProps('postal_address')}
              />
              <Textarea
                label="Footer"
                description="For example, why people get your emails. An unsubscribe link is always added."
                autosize
                minRows={2}
                {...form.getInputProps('footer_text')}
              />
            </Stack>
          </Panel>
          <Panel title="Social links">
            <SocialLinksFields links={form.values.social_links} onChange={(links) => form.setFieldValue('social_links', links)} />
            {form.errors.social_links && (
              <Text size="xs" c="red" mt="xs">
                {form.errors.social_links}
              </Text>
            )}
          </Panel>
        </Stack>
        <Stack gap="lg" className={classes.beside ?? ''}>
          <Panel title="Preview">
            <MailFrame html={sample(shown)} title="Preview of the brand" />
          </Panel>
          {mayWrite && <FormActions submit="Save" failed="Couldn't save the brand" />}
        </Stack>
      </Columns>
      {isChoosing && (
        <Suspense fallback={<Modal opened onClose={() => setChoosing(false)} title="Image" closeButtonProps={{ 'aria-label': 'Close' }} />}>
          <ImageDialog
            onClose={() => setChoosing(false)}
            onPick={({ url }) => {
              form.setFieldValue('logo_url', url);
              setChoosing(false);
            }}
          />
        </Suspense>
      )}
    </Form>
  );
}
