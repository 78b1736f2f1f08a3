import { z } from 'zod';

// For pages: zod tries to compile schemas, which the Content-Security-Policy of the dashboard reports. Imported before any schema.
z.config({ jitless: true });
