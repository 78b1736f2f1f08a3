import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { contactSearch } from '../contacts/contact-search.ts';
import { formSearch } from '../forms/form-search.ts';
import { suppressionSearch } from '../suppressions/suppressions.ts';
import { getParentRoute } from './signed-in-route.ts';

const contacts = createRoute({
  getParentRoute,
  path: '/contacts',
  validateSearch: contactSearch,
  component: lazyRouteComponent(() => import('../contact-list/contacts-page.tsx'), 'ContactsPage'),
});

const newContact = createRoute({
  getParentRoute,
  path: '/contacts/new',
  component: lazyRouteComponent(() => import('../contact-page/new-contact-page.tsx'), 'NewContactPage'),
});

const contact = createRoute({
  getParentRoute,
  path: '/contacts/$id',
  component: lazyRouteComponent(() => import('../contact-page/contact-page.tsx'), 'ContactPage'),
});

const editContact = createRoute({
  getParentRoute,
  path: '/contacts/$id/edit',
  component: lazyRouteComponent(() => import('../contact-page/edit-contact-page.tsx'), 'EditContactPage'),
});

const consent = createRoute({
  getParentRoute,
  path: '/contacts/$id/consent',
  component: lazyRouteComponent(() => import('../consent/consent-page.tsx'), 'ConsentPage'),
});

const suppressions = createRoute({
  getParentRoute,
  path: '/contacts/suppressions',
  validateSearch: suppressionSearch,
  component: lazyRouteComponent(() => import('../suppressions/suppressions-page.tsx'), 'SuppressionsPage'),
});

const imports = createRoute({
  getParentRoute,
  path: '/contacts/imports',
  component: lazyRouteComponent(() => import('../imports/imports-page.tsx'), 'ImportsPage'),
});

const newImport = createRoute({
  getParentRoute,
  path: '/contacts/imports/new',
  component: lazyRouteComponent(() => import('../imports/new-import-page.tsx'), 'NewImportPage'),
});

const moveIn = createRoute({
  getParentRoute,
  path: '/contacts/move-in',
  component: lazyRouteComponent(() => import('../move-in/move-in-page.tsx'), 'MoveInPage'),
});

const importOf = createRoute({
  getParentRoute,
  path: '/contacts/imports/$id',
  component: lazyRouteComponent(() => import('../imports/import-page.tsx'), 'ImportPage'),
});

const exports = createRoute({
  getParentRoute,
  path: '/contacts/exports',
  component: lazyRouteComponent(() => import('../exports/exports-page.tsx'), 'ExportsPage'),
});

const forms = createRoute({
  getParentRoute,
  path: '/contacts/forms',
  validateSearch: formSearch,
  component: lazyRouteComponent(() => import('../forms/forms-page.tsx'), 'FormsPage'),
});

const newForm = createRoute({
  getParentRoute,
  path: '/contacts/forms/new',
  component: lazyRouteComponent(() => import('../forms/new-form-page.tsx'), 'NewFormPage'),
});

const form = createRoute({
  getParentRoute,
  path: '/contacts/forms/$id',
  component: lazyRouteComponent(() => import('../forms/form-page.tsx'), 'FormPage'),
});

const editForm = createRoute({
  getParentRoute,
  path: '/contacts/forms/$id/edit',
  component: lazyRouteComponent(() => import('../forms/edit-form-page.tsx'), 'EditFormPage'),
});

export const contactRoutes = [
  contacts,
  newContact,
  contact,
  editContact,
  consent,
  suppressions,
  imports,
  newImport,
  moveIn,
  importOf,
  exports,
  forms,
  newForm,
  form,
  editForm,
] as const;
