import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { UseMutationResult } from '@tanstack/react-query';
import { Form } from './form.tsx';
import { FormError } from './form-actions.tsx';
import { required } from './required.ts';

type Props<Added extends { domain: string }> = {
  add: UseMutationResult<Added, Error, string>;
  /** What its owner does then, such as `Set its DNS record.` */
  next: string;
};

/** A field for a domain that must be proven afterwards. */
export function AddDomain<Added extends { domain: string }>({ add, next }: Props<Added>) {
  const form = useForm({ initialValues: { domain: '' }, validate: { domain: required('Enter a domain, such as example.com.') } });
  const save = ({ domain }: { domain: string }) =>
    add.mutate(domain.trim(), {
      onSuccess: (added) => {
        form.reset();
        notifications.show({ message: `${added.domain} was added. ${next}` });
      },
    });
  return (
    <Form form={form} saving={add} onSubmit={save}>
      <Group align="end" gap="sm">
        <TextInput
          label="Domain"
          placeholder="example.com"
          autoComplete="off"
          flex="1 1 220px"
          maw={360}
          {...form.getInputProps('domain')}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          Add domain
        </Button>
      </Group>
      <FormError title="Couldn't add the domain" />
    </Form>
  );
}
