import { Button, Combobox, Group, Stack, Text, Textarea, useCombobox } from '@mantine/core';
import { useRef, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { CommentText } from './comments.ts';
import classes from './comments-panel.module.css';
import { mentionedIn, type NamedUser, suggested, typedMention } from './mention-text.ts';

type Props = {
  label: string;
  submit: string;
  users: readonly NamedUser[];
  /** The signed-in user, who gets no email. */
  me: string | undefined;
  before?: CommentText;
  saving: { mutate: (written: CommentText, options: { onSuccess: () => void }) => void; isPending: boolean; error: Error | null };
  onDone?: () => void;
  onCancel?: () => void;
};

const maxLength = 5_000;
const maxShown = 8;

/** Writes or edits a comment. `@` suggests users. */
export function CommentForm({ label, submit, users, me, before, saving, onDone, onCancel }: Props) {
  const [text, setText] = useState(before?.text ?? '');
  const [chosen, setChosen] = useState<string[]>(before?.mentions ?? []);
  const [caret, setCaret] = useState<number>();
  const area = useRef<HTMLTextAreaElement>(null);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const typing = caret === undefined ? undefined : typedMention(text, caret);
  const options = typing ? suggested(users, typing.typed).slice(0, maxShown) : [];
  const mentions = mentionedIn(text, users, chosen);
  const notified = mentions.filter(({ id }) => id !== me);

  function moved(value: string, at: number) {
    setCaret(at);
    const now = typedMention(value, at);
    if (now && suggested(users, now.typed).length > 0) {
      combobox.openDropdown();
      combobox.updateSelectedOptionIndex();
    } else combobox.closeDropdown();
  }

  function choose(id: string) {
    const user = users.find((one) => one.id === id);
    if (!user || !typing || caret === undefined) return;
    const head = `${text.slice(0, typing.at)}@${user.name} `;
    setText(head + text.slice(caret).trimStart());
    setChosen([...chosen, id]);
    setCaret(undefined);
    combobox.closeDropdown();
    // After the text is shown.
    requestAnimationFrame(() => area.current?.setSelectionRange(head.length, head.length));
  }

  const isEmpty = text.trim() === '';
  const save = () =>
    saving.mutate(
      { text: text.trim(), mentions: mentions.map(({ id }) => id) },
      {
        onSuccess: () => {
          setText('');
          setChosen([]);
          onDone?.();
        },
      },
    );
  // No form of its own: on the page of a template it is inside the form of that, which it must not save.
  return (
    <Stack gap="xs">
      <Combobox store={combobox} onOptionSubmit={choose} position="bottom-start" width="max-content">
        <Combobox.Target>
          <Textarea
            ref={area}
            label={label}
            placeholder="Type @ to mention a user"
            rows={2}
            classNames={{ input: classes.growing }}
            maxLength={maxLength}
            value={text}
            data-autofocus={before && true}
            onChange={({ currentTarget: { value, selectionStart } }) => {
              setText(value);
              moved(value, selectionStart);
            }}
            onSelect={({ currentTarget: { value, selectionStart } }) => setCaret(value === text ? selectionStart : caret)}
            onBlur={() => combobox.closeDropdown()}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={options.length === 0}>
          <Combobox.Options aria-label="Users to mention">
            {options.map(({ id, name }) => (
              <Combobox.Option key={id} value={id}>
                {name}
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {saving.error && <ErrorAlert error={saving.error} title="Couldn't save the comment" />}
      <Group justify="space-between" gap="sm">
        <Text size="xs" c="dimmed" aria-live="polite">
          {notified.length > 0 && `Emails ${new Intl.ListFormat('en').format(notified.map(({ name }) => name))}.`}
        </Text>
        <Group gap="xs">
          {onCancel && (
            <Button size="xs" variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button size="xs" loading={saving.isPending} disabled={isEmpty} onClick={save}>
            {submit}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
