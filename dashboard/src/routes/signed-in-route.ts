import { createRootRoute, createRoute } from '@tanstack/react-router';
import { SessionGate } from '../shell/session-gate.tsx';

export const root = createRootRoute();

export const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SessionGate });

/** For the routes of all pages that need a session. */
export const getParentRoute = () => signedIn;
