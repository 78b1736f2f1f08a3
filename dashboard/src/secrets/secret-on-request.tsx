import { Button, Group, TextInput } from '@mantine/core';
import { CopyButton } from '../clipboard/copy-button.tsx';

type Props = {
  /** The name of the field: "Secret". */
  label: string;
  /** The name in the buttons: "secret". */
  noun: string;
  /** Undefined until it is requested. */
  value: string | undefined;
  request: { mutate: () => void; isPending: boolean; reset: () => void };
};

/** A secret that is requested, and shown, only when the user asks for it. */
export function SecretOnRequest({ label, noun, value, request }: Props) {
  if (value === undefined)
    return (
      <div>
        <Button variant="default" loading={request.isPending} onClick={() => request.mutate()}>
          Show {noun}
        </Button>
      </div>
    );
  return (
    <Group align="end" gap="sm">
      <TextInput
        readOnly
        label={label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        flex="1 1 260px"
      />
      <CopyButton text={value} label={`Copy ${noun}`} />
      <Button variant="subtle" onClick={request.reset}>
        Hide
      </Button>
    </Group>
  );
}
