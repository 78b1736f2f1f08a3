import { Alert, Autocomplete, Button, createTheme, Drawer, Menu, Modal, Notification, type OptionsFilter } from '@mantine/core';
import classes from './theme.module.css';

/** Suggestions that contain what is typed. One that is typed already suggests nothing, and would cover what is below the field. */
const suggestions: OptionsFilter = ({ options, search, limit }) => {
  const typed = search.trim();
  const found = options.filter((one) => !('label' in one) || one.label.toLowerCase().includes(typed.toLowerCase())).slice(0, limit);
  const [only] = found;
  return found.length === 1 && only && 'label' in only && only.label === typed ? [] : found;
};

/**
 * Colors are in theme.css: the page's Content-Security-Policy blocks <style> elements, which Mantine would insert.
 * For the same reason theme.css, not the dialogs, locks the page's scroll.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine's yellow on light yellow is illegible.
    Alert: Alert.extend({
      vars: (_theme, { color }) => ({ root: color === 'yellow' ? { '--alert-color': 'light-dark(#5c3c00, #ffe8b3)' } : {} }),
    }),
    Button: Button.extend({ classNames: { root: classes.button ?? '' } }),
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'lg',
        transitionProps: { duration: 120 },
        overlayProps: { backgroundOpacity: 0.45 },
      },
      classNames: { title: classes.title ?? '' },
    }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, transitionProps: { duration: 150 } } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } }),
    Autocomplete: Autocomplete.extend({ defaultProps: { filter: suggestions } }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 80 }, shadow: 'md' } }),
  },
});
