import type { Input, Output } from '../../../contracts/contract.ts';
import type { gitRead } from '../../../contracts/git.ts';
import type { Repository } from '../git/git.ts';
import type { GitPorts } from '../git/repository.ts';

type Metadata = Output<typeof gitRead>['metadata'];

/** The result of one kind of reading. */
export interface GitReading {
  /** The first line. */
  readonly head: string;
  readonly body: string;
  readonly metadata: Omit<Metadata, 'repository' | 'head' | 'branch'> & Partial<Metadata>;
}

/** A mistake in what the caller asked for. */
export interface GitMistake {
  readonly mistake: 'path_not_in_commit' | 'invalid_line_range';
  readonly why: string;
}

/** The asked-for reading, and its place. */
export interface GitQuery {
  readonly repository: Repository;
  readonly input: Input<typeof gitRead>;
  /** The path that was asked about, from the repository. */
  readonly path: string;
  readonly ports: GitPorts;
}
