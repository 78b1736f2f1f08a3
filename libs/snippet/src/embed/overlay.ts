/** The dialog of a pop-up, or a bar at the bottom of the window, in a shadow tree that no style of the page reaches. */
const style = `
:host{all:initial}
.box{position:fixed;box-sizing:border-box;margin:auto;padding:0;border:0;background:Canvas;color:CanvasText;color-scheme:light dark;overflow:auto;box-shadow:0 8px 40px rgb(0 0 0/.3)}
dialog.box{width:min(32rem,calc(100vw - 2rem));max-height:calc(100dvh - 2rem);border-radius:12px}
dialog::backdrop{background:rgb(0 0 0/.5)}
div.box{inset:auto 0 0;z-index:2147483647;max-height:60dvh}
button{position:absolute;top:.25rem;right:.25rem;z-index:1;width:2.75rem;height:2.75rem;border:0;border-radius:8px;background:none;color:inherit;font:1.5rem/1 system-ui,sans-serif;cursor:pointer}
button:focus-visible{outline:3px solid;outline-offset:-3px}
@media(prefers-reduced-motion:no-preference){.box{animation:in .2s}@keyframes in{from{opacity:0;transform:translateY(1rem)}}}`;

/**
 * A pop-up takes the focus, keeps it, and gives it back when it is closed, as modal dialogs of browsers do. A bar takes no focus: people
 * go on reading.
 */
export function createOverlay(frame: HTMLIFrameElement, isBar: boolean, onClosed: () => void) {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const dialog = document.createElement('dialog');
  const box = isBar ? document.createElement('div') : dialog;
  box.className = 'box';
  box.hidden = isBar;
  if (isBar) box.setAttribute('role', 'region');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '×';
  box.append(frame, button);
  root.append(box);
  document.body.append(host);

  function close() {
    if (!host.isConnected) return;
    if (dialog.open) dialog.close();
    host.remove();
    onClosed();
  }
  button.addEventListener('click', close);
  dialog.addEventListener('close', close);
  box.addEventListener('keydown', (event) => event instanceof KeyboardEvent && event.key === 'Escape' && close());

  return {
    close,
    show(title: string, closeLabel: string) {
      box.setAttribute('aria-label', title);
      button.setAttribute('aria-label', closeLabel);
      if (isBar) box.hidden = false;
      else if (!dialog.open) {
        dialog.showModal();
        frame.focus();
      }
    },
  };
}
