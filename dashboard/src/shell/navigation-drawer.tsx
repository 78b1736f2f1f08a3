import { Drawer } from '@mantine/core';
import { Brand } from './brand.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

type Props = { opened: boolean; onClose: () => void };

/** The whole navigation of a narrow screen. */
export const NavigationDrawer = ({ opened, onClose }: Props) => (
  <Drawer opened={opened} onClose={onClose} size={280} title={<Brand />} closeButtonProps={{ 'aria-label': 'Close navigation' }}>
    <div className={classes.drawn}>
      <Navigation onNavigate={onClose} />
    </div>
  </Drawer>
);
