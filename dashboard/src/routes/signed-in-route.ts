import { createRootRoute, createRoute } from '@tanstack/react-router';
import { createElement } from 'react';
import { SessionGate } from '../shell/session-gate.tsx';

export const root = createRootRoute();

export const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SessionGate });

/** For pages that need a session and stand alone, without the navigation. */
export const alone = createRoute({ getParentRoute: () => root, id: 'alone', component: () => createElement(SessionGate, { alone: true }) });

/** For the routes of all pages that need a session. */
export const getParentRoute = () => signedIn;
