import { type AlertProps, createTheme, type MantineTheme } from '@mantine/core';
import { otherSuggestions } from './other-suggestions.ts';
import classes from './theme.module.css';

/**
 * Sizes and colors are in tokens.css: the page's Content-Security-Policy blocks <style> elements, which Mantine would insert.
 * For the same reason theme.css, not the dialogs, locks the page's scroll.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name, without the components themselves: a page loads those that it needs.
  components: {
    Autocomplete: { defaultProps: { filter: otherSuggestions } },
    // Keys scroll a wide table on a narrow screen, even one without links.
    TableScrollContainer: { defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0 } } } },
    // Mantine's yellow on light yellow is illegible.
    Alert: {
      vars: (_theme: MantineTheme, { color }: AlertProps) => ({ root: color === 'yellow' ? { '--alert-color': 'var(--warn)' } : {} }),
    },
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'lg',
        transitionProps: { duration: 160 },
        overlayProps: { backgroundOpacity: 0.45 },
      },
      classNames: { title: classes.title ?? '' },
    },
    Drawer: { defaultProps: { lockScroll: false, transitionProps: { duration: 200 } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Menu: { defaultProps: { transitionProps: { duration: 120 }, shadow: 'md' } },
  },
});
