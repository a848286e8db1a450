import { join } from 'node:path';
import { PROJECT } from './up.ts';

// Programs that are started from here on write down which of their lines ran. This one is counted by Vitest.
if (process.env.COVERAGE === '1') process.env.NODE_V8_COVERAGE = join(PROJECT, 'coverage', 'programs');
