import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';

export const hello = tool({
  name: 'hello',
  title: 'Say hello',
  description: 'Greets you and gives the time, to check that Bowline answers.',
  runsOn: 'gateway',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 5_000 },
  hints: readsOnly,
  isPublic: true,
  input: z.strictObject({
    name: z.string().min(1).max(100).default('World').meta(told('Whom to greet.')),
  }),
  output: z.strictObject({
    greeting: z.string().describe('The greeting.'),
    message: z.string().describe('The same greeting, under the other name that clients know it by.'),
    timestamp: z.iso.datetime().describe("The gateway's time."),
  }),
  errors: {},
  examples: [
    {
      about: 'greets by name',
      input: { name: 'Learner' },
      output: { greeting: 'Hello, Learner!', message: 'Hello, Learner!', timestamp: '2026-01-09T10:30:00Z' },
      varies: ['timestamp'],
    },
    {
      about: 'greets the world when nobody is named',
      input: {},
      output: { greeting: 'Hello, World!', message: 'Hello, World!', timestamp: '2026-01-09T10:30:00Z' },
      varies: ['timestamp'],
    },
  ],
  headline: ({ greeting }) => greeting,
});
