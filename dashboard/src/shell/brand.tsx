import { Link } from '@tanstack/react-router';
import { Logo } from '../theme/logo.tsx';
import classes from './shell.module.css';

export const Brand = () => (
  <Link to="/" className={classes.brand}>
    <Logo size={20} /> Marketing Platform
  </Link>
);
