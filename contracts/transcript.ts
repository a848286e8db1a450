import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';

export const transcriptClean = tool({
  name: 'transcript.clean',
  title: 'Clean a transcript',
  description:
    'Turns a raw transcript (WebVTT, SRT, lines with times or plain text) into readable paragraphs.',
  details:
    'Times, cue numbers and repeated captions go; speakers and words stay. Where the owner has set a model, it also mends punctuation, casing and fillers.',
  runsOn: 'gateway',
  group: 'web',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 120_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z.strictObject({
    text: z.string().min(1).max(1_000_000).meta(told('The transcript as it is.')),
  }),
  output: z.strictObject({
    clean_text: z.string().min(1).describe('The transcript in paragraphs.'),
  }),
  errors: {
    nothing_spoken: {
      status: 422,
      message: 'The transcript holds no words, only times and numbers.',
      suggestion: 'Send the transcript with its text.',
    },
    model_error: {
      status: 502,
      message: 'The language model failed.',
      suggestion: 'Try again later; without a model set, the cleaning is done by rules alone.',
    },
    timeout: {
      status: 504,
      message: 'The language model did not answer in time.',
      suggestion: 'Send the transcript in shorter parts.',
    },
  },
  examples: [
    {
      about: 'cleans WebVTT captions',
      input: {
        text: 'WEBVTT\n\n1\n00:00:01.000 --> 00:00:03.000\nWelcome back.\n\n2\n00:00:03.000 --> 00:00:06.000\nToday we tie a bowline.\n',
      },
      output: { clean_text: 'Welcome back. Today we tie a bowline.' },
    },
  ],
  cut: { fields: ['clean_text'], rest: 'Send the transcript in shorter parts.' },
  headline: ({ clean_text }) => `Cleaned transcript (${clean_text.length} characters)`,
});
