import { Notifications } from '@mantine/notifications';

/** A module of its own, so that the entry has only the store of the notifications. */
export default Notifications;
