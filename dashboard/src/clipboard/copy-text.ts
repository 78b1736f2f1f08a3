/** Copies the text; resolves to whether it worked. Browsers offer `navigator.clipboard` only on https and localhost. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', put, { once: true });
  const copied = document.execCommand('copy');
  document.removeEventListener('copy', put);
  return copied;
}
