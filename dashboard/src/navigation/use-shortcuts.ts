import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { places } from './places.ts';

type Options = { onSearch: () => void; onHelp: () => void };

/** How long a page's key may follow `g`. */
const sequenceMs = 1_500;

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
export const altKey = isMac ? '⌥' : 'Alt';
/** A key with the modifier of commands. */
export const withCommand = (key: string) => (isMac ? `⌘${key}` : `Ctrl ${key}`);
export const searchKeys = withCommand('K');

/** The shortcuts of every page. Letters do nothing while the user types or a dialog is open. */
export function useShortcuts({ onSearch, onHelp }: Options) {
  const navigate = useNavigate();
  const latest = useRef({ onSearch, onHelp, navigate });
  latest.current = { onSearch, onHelp, navigate };

  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const shortcuts = latest.current;
      const key = event.key.toLowerCase();
      const isSearch = key === 'k' && (isMac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey;
      if (!isSearch && (event.metaKey || event.ctrlKey || event.altKey || isBusy(event.target))) return;
      const place = event.timeStamp < goUntil ? places.find((one) => one.key === key) : undefined;
      goUntil = key === 'g' && !place ? event.timeStamp + sequenceMs : 0;
      if (place) void shortcuts.navigate({ to: place.to });
      else if (isSearch || key === '/') shortcuts.onSearch();
      else if (key === '?') shortcuts.onHelp();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether letters belong to a field or an open dialog or menu. */
const isBusy = (target: EventTarget | null) =>
  (target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select, [role="menu"]') !== null)) ||
  document.querySelector('[role="dialog"]') !== null;
