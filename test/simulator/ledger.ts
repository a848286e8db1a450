import type { CallAnswer } from '../../src/machines/link-ports.ts';
import type { SimSql } from './sim-sql.ts';
import type { World } from './world.ts';

interface Told {
  readonly isEffect: boolean;
  readonly answers: CallAnswer[];
  isSettled: boolean;
}

interface Done {
  runs: number;
  readonly size: number;
  isBegun: boolean;
  isFinished: boolean;
  /** Whether something happened after which nobody can know its outcome. */
  isExcused: boolean;
  /** Whether the gateway was put back to a state that may lack it. */
  isForgotten: boolean;
}

/** What truly happened, which neither side can see, against what was said of it. */
export class Ledger {
  readonly #world: World;
  readonly #told = new Map<string, Told>();
  readonly #done = new Map<string, Done>();

  constructor(world: World) {
    this.#world = world;
  }

  asked(id: string, isEffect: boolean, size: number): void {
    this.#told.set(id, { isEffect, answers: [], isSettled: false });
    this.#done.set(id, {
      runs: 0,
      size,
      isBegun: false,
      isFinished: false,
      isExcused: false,
      isForgotten: false,
    });
  }

  answered(id: string, answer: CallAnswer): void {
    this.#world.note(`${id}: ${answer.kind}`);
    this.#told.get(id)?.answers.push(answer);
  }

  settled(id: string): void {
    const told = this.#told.get(id);
    if (told) told.isSettled = true;
  }

  begin(id: string): void {
    this.#of(id).isBegun = true;
  }

  run(id: string): void {
    this.#world.note(`${id} runs`);
    this.#of(id).runs += 1;
  }

  result(id: string): string {
    const { runs, size } = this.#of(id);
    return `${id} run ${runs} ${(runs + size).toString(36).repeat(4)}${'.'.repeat(size)}!`;
  }

  readResult(id: string): string {
    return `${id} read ${'-'.repeat(this.#of(id).size)}!`;
  }

  /** Its outcome is on the machine's disk. */
  finish(id: string): void {
    this.#of(id).isFinished = true;
  }

  excuseBegun(): void {
    for (const done of this.#done.values()) if (!done.isFinished) done.isExcused = true;
  }

  excuseAll(): void {
    for (const done of this.#done.values()) done.isExcused = true;
  }

  /** The gateway was put back to an older state. */
  forgetAll(): void {
    this.excuseAll();
    for (const done of this.#done.values()) done.isForgotten = true;
  }

  /** Every promise that was broken, in words. */
  violations(sql: SimSql): string[] {
    const found: string[] = [];
    for (const [id, told] of this.#told) {
      const done = this.#of(id);
      if (!told.isSettled) found.push(`${id} was never answered`);
      for (const answer of told.answers) found.push(...this.#wrongAnswer(id, told, done, answer));
      if (told.isEffect) found.push(...this.#wrongEffect(id, done, sql));
    }
    return found;
  }

  #wrongAnswer(id: string, { isEffect }: Told, { runs, isForgotten }: Done, answer: CallAnswer): string[] {
    if (answer.kind === 'result') {
      const text = new TextDecoder().decode(answer.body);
      const right = isEffect ? this.result(id) : this.readResult(id);
      return text === right ? [] : [`${id} was answered ${text.slice(0, 60)}, not ${right.slice(0, 60)}`];
    }
    if (answer.kind === 'conflict') return [`${id} was taken for another call`];
    const saysNotRun = answer.kind === 'not_run' || answer.kind === 'offline';
    return isEffect && saysNotRun && runs > 0 && !isForgotten
      ? [`${id} was said not to have run, but it did`]
      : [];
  }

  #wrongEffect(id: string, { runs, isExcused, isForgotten }: Done, sql: SimSql): string[] {
    if (runs > 1) return [`${id} ran ${runs} times`];
    const [row] = sql.exec<{ state: string }>('SELECT state FROM call WHERE id = ?', id).toArray();
    if (!row) return runs > 0 && !isForgotten ? [`${id} ran, and nobody knows of it`] : [];
    if (row.state === 'open') return [`${id} is still open`];
    if (row.state === 'not_run') return runs > 0 ? [`${id} is kept as not run, but it did`] : [];
    if (row.state === 'unknown') return isExcused ? [] : [`${id} is unknown without need`];
    const pieces = sql
      .exec<{ bytes: ArrayBuffer }>(
        "SELECT bytes FROM piece WHERE call = ? AND part = 'result' ORDER BY at",
        id,
      )
      .toArray();
    const text = Buffer.concat(pieces.map(({ bytes }) => Buffer.from(bytes))).toString();
    return text === this.result(id) ? [] : [`${id} is kept as ${text.slice(0, 60)}`];
  }

  #of(id: string): Done {
    const done = this.#done.get(id);
    if (!done) throw new Error(`Nobody asked for ${id}.`);
    return done;
  }
}
