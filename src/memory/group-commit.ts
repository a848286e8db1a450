interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Writes what is asked while a commit is under way with the one after it, all in one. A lone caller waits
 * for nobody, and whoever fails fails alone.
 */
export class GroupCommit<Asked, Answer> {
  readonly #storage: DurableObjectStorage;
  readonly #write: (asked: Asked) => Answer;
  #waiting: Waiting<Asked, Answer>[] = [];
  #isCommitting = false;

  constructor(storage: DurableObjectStorage, write: (asked: Asked) => Answer) {
    this.#storage = storage;
    this.#write = write;
  }

  ask(asked: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ asked, resolve, reject });
    if (!this.#isCommitting) void this.#writeWaiting();
    return promise;
  }

  async #writeWaiting(): Promise<void> {
    this.#isCommitting = true;
    try {
      while (this.#waiting.length > 0) {
        const taken = this.#waiting;
        this.#waiting = [];
        // Without an `await` between them, the runtime commits all of these together; and its output gate
        // lets no answer leave before what it speaks of is on disk.
        for (const one of taken) this.#writeOne(one);
        await this.#storage.sync();
      }
    } catch (error) {
      // The disk failed, and the object with it.
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#isCommitting = false;
    }
  }

  #writeOne({ asked, resolve, reject }: Waiting<Asked, Answer>): void {
    try {
      resolve(this.#storage.transactionSync(() => this.#write(asked)));
    } catch (error) {
      reject(error);
    }
  }
}
