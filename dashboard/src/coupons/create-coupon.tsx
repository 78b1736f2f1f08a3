import { Button, FileInput, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { optionsOf } from '../form/options.ts';
import { count } from '../numbers/format-number.ts';
import { type CouponDraft, codesIn, couponName, couponOf, newCoupon, sources } from './coupon-draft.ts';
import { maxAtOnce, useCreateCoupon } from './coupons.ts';

/** The codes that a coupon can have. */
const maxCodes = 100_000;

export function CreateCoupon() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        New coupon
      </Button>
      <FormDialog opened={opened} onClose={close} title="New coupon">
        <CouponForm onDone={close} />
      </FormDialog>
    </>
  );
}

const validate = {
  name: (name: string) => (couponName(name) === '' ? 'Enter a name with at least one letter.' : null),
  codes: (codes: string, { source }: CouponDraft) => {
    if (source === 'generate') return null;
    const found = codesIn(codes).length;
    if (found === 0) return source === 'shared' ? 'Enter the code.' : 'Enter codes, or choose a file.';
    if (source === 'shared' && found > 1) return 'Enter one code, without spaces.';
    return found > maxCodes ? `These are ${count(found)} codes; a coupon can have ${count(maxCodes)}.` : null;
  },
};

function CouponForm({ onDone }: { onDone: () => void }) {
  const form = useForm<CouponDraft>({ initialValues: newCoupon, validate });
  const creation = useCreateCoupon();
  const create = (draft: CouponDraft) =>
    creation.mutate(couponOf(draft), {
      onSuccess: ({ name }) => {
        onDone();
        notifications.show({ message: `The coupon ${name} was created.` });
      },
    });
  const { name, source, codes } = form.values;
  const read = async (file: File | null) => {
    if (file) form.setFieldValue('codes', await file.text());
  };
  const field = couponName(name);

  return (
    <Form form={form} saving={creation} paths={{ '/generate/count': 'count', '/generate/prefix': 'prefix' }} onSubmit={create}>
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder="spring_sale"
          description={field === '' ? 'Emails show a code by this name.' : `Emails show a code with {{ coupon.${field} }}.`}
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <NativeSelect label="Codes" data={optionsOf(sources)} {...form.getInputProps('source')} />
        {source === 'generate' && (
          <>
            <NumberInput
              label="Number of codes"
              description={`At most ${count(maxAtOnce)} at once.`}
              min={1}
              max={maxAtOnce}
              allowDecimal={false}
              {...form.getInputProps('count')}
            />
            <TextInput label="Prefix" placeholder="SPRING-" autoComplete="off" {...form.getInputProps('prefix')} />
          </>
        )}
        {source === 'upload' && (
          <>
            <FileInput
              label="File"
              placeholder="Choose a text or CSV file"
              accept=".csv,.txt,text/csv,text/plain"
              onChange={(file) => void read(file)}
            />
            <Textarea
              label="List of codes"
              description={`One a line. ${count(codesIn(codes).length)} codes so far.`}
              rows={6}
              autoComplete="off"
              {...form.getInputProps('codes')}
            />
          </>
        )}
        {source === 'shared' && <TextInput label="Code" placeholder="SPRING10" autoComplete="off" {...form.getInputProps('codes')} />}
        <TextInput
          type="date"
          label="Last day"
          description="Leave empty if the coupon does not expire."
          {...form.getInputProps('expires')}
        />
        <FormActions submit="Create coupon" failed="Couldn't create the coupon" cancel={onDone} />
      </Stack>
    </Form>
  );
}
