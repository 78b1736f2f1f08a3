/**
 * Solves the proof of work that a form asks for (ALTCHA's protocol, PBKDF2 with SHA-256). In the page of a form, when it is sent: its button
 * then says what `data-working` has. Pages of others import `solve`, and send what it returns as `captcha`.
 */
type Challenge = { parameters: { nonce: string; salt: string; cost: number; keyLength: number; keyPrefix: string } };

/** As many keys as are derived at a time, off the thread of the page. */
const atATime = 16;

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const hexOf = (bytes: ArrayBuffer) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The solution of a challenge of the form at this address, such as `https://marketing.example.com/f/form_…`. */
export async function solve(form: string): Promise<string> {
  const response = await fetch(`${form}/challenge`);
  if (!response.ok) throw new Error(`The challenge of the form returned ${response.status}.`);
  const challenge: Challenge = await response.json();
  const { nonce, salt, cost, keyLength, keyPrefix } = challenge.parameters;
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt: bytesOf(salt), iterations: cost };
  const keyOf = async (counter: number) => {
    const password = new Uint8Array([...bytesOf(nonce), ...new Uint8Array(4)]);
    new DataView(password.buffer).setUint32(password.length - 4, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    return hexOf(await crypto.subtle.deriveBits(algorithm, key, keyLength * 8));
  };
  for (let first = 0; ; first += atATime) {
    const keys = await Promise.all(Array.from({ length: atATime }, (_, index) => keyOf(first + index)));
    const found = keys.findIndex((key) => key.startsWith(keyPrefix));
    if (found >= 0) return btoa(JSON.stringify({ challenge, solution: { counter: first + found, derivedKey: keys[found] } }));
  }
}

/**
 * Submits the form with the solution of a challenge. If solving fails, submits it without one, and the platform decides whether to
 * accept it.
 */
function proveAtSubmission(form: HTMLFormElement, button: HTMLButtonElement) {
  const label = button.textContent;
  const proof = document.createElement('input');
  proof.type = 'hidden';
  proof.name = 'altcha';
  let isWorking = false;
  const setWorking = (isOn: boolean) => {
    isWorking = isOn;
    button.ariaDisabled = isOn ? 'true' : null;
    button.textContent = isOn ? (button.dataset.working ?? label) : label;
  };

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isWorking) return;
    setWorking(true);
    try {
      proof.value = await solve(location.origin + location.pathname);
      form.append(proof);
    } catch (error) {
      console.warn(error);
      proof.remove();
    }
    form.submit();
  });
  // Back in the page that was sent.
  addEventListener('pageshow', ({ persisted }) => persisted && setWorking(false));
}

const button = document.querySelector<HTMLButtonElement>('form[action^="/f/form_"] button[data-working]');
if (button?.form) proveAtSubmission(button.form, button);
