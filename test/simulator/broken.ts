/** Rules of the link that a simulation can break, to see that it would notice. */
export const RULES = {
  'the row is written before the call is sent': 'unwritten',
  'what has begun is on the disk before it begins': 'unsynced',
  'what was begun before a restart is never run again': 'rerun',
  'a call that is sent again keeps its id': 'renamed',
  'that a call has not run is said only when it is known': 'guessed',
  'a machine that forgot what it began is not asked to begin it again': 'forgotten',
  'the newest connection is the only one': 'old_sockets',
  'a call that is running already is joined': 'unjoined',
  'a frame that comes twice is one call': 'repeated',
  'what is acknowledged is on the disk': 'hasty_ack',
  'a copy or an older state of a machine is turned away': 'copied',
  'a journal that lies elsewhere is not believed to be whole': 'moved',
  'a machine remembers what was acknowledged': 'unremembered',
} as const;

export type Broken = (typeof RULES)[keyof typeof RULES];
