// The fonts of the machine, so that no page waits for one.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
