import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import { useState } from 'react';

/** Asks where the selected text links to. */
export function LinkDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const current: unknown = editor.getAttributes('link').href;
  const [href, setHref] = useState(typeof current === 'string' ? current : 'https://');
  const close = () => {
    onClose();
    editor.commands.focus();
  };
  const apply = () => {
    const url = href.trim();
    const chain = editor.chain().focus().extendMarkRange('link');
    if (url === '' || url === 'https://') chain.unsetLink().run();
    else if (editor.state.selection.empty && !editor.isActive('link'))
      chain.insertContent({ type: 'text', text: url, marks: [{ type: 'link', attrs: { href: url } }] }).run();
    else chain.setLink({ href: url }).run();
    onClose();
  };
  return (
    <Modal opened onClose={close} title="Link" closeButtonProps={{ 'aria-label': 'Close' }} returnFocus={false}>
      <Stack gap="md">
        <TextInput
          label="URL"
          description="An address such as https://example.com/ or mailto:hello@example.com. It can contain fields: {{ contact.external_id }}."
          value={href}
          onChange={(event) => setHref(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            apply();
          }}
          data-autofocus
        />
        <Group justify="flex-end" gap="sm">
          {editor.isActive('link') && (
            <Button
              variant="default"
              onClick={() => {
                editor.chain().focus().extendMarkRange('link').unsetLink().run();
                onClose();
              }}
            >
              Remove link
            </Button>
          )}
          <Button onClick={apply}>Apply</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
